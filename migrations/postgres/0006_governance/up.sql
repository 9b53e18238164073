-- Who was exposed to an experiment: the first search of each session, or of each user without one.
CREATE TABLE search_exposures (
    org_id TEXT NOT NULL REFERENCES organizations (org_id),
    experiment_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    arm TEXT NOT NULL,
    exposed_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, experiment_id, user_id, session_id)
);
CREATE INDEX search_exposures_by_user ON search_exposures (org_id, user_id, experiment_id, session_id);

-- One row per ticket to erase a user; references and states, never a raw id.
CREATE TABLE purge_operations (
    org_id TEXT NOT NULL REFERENCES organizations (org_id),
    purge_id TEXT NOT NULL,
    subject_ref TEXT NOT NULL,
    request_ref TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_ref TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'failed', 'complete')),
    error_code TEXT,
    error_detail TEXT,
    -- Counts the executors; whoever writes with an older one is refused.
    fence BIGINT NOT NULL,
    lease_holder TEXT,
    -- By the database's clock: when the lease of a running purge runs out, or a failed one may be tried again.
    due_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    completed_at BIGINT,
    PRIMARY KEY (org_id, purge_id),
    CHECK ((status IN ('running', 'failed')) = (due_at IS NOT NULL)),
    CHECK ((status = 'failed') = (error_code IS NOT NULL)),
    CHECK ((status = 'complete') = (completed_at IS NOT NULL))
);
CREATE INDEX purge_operations_by_subject ON purge_operations (org_id, subject_ref);

-- The raw user id an unfinished purge needs to go on after a crash; the transaction that completes it deletes the row.
CREATE TABLE purge_work (
    org_id TEXT NOT NULL,
    purge_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    PRIMARY KEY (org_id, purge_id),
    FOREIGN KEY (org_id, purge_id) REFERENCES purge_operations (org_id, purge_id)
);

-- Rows deleted so far, entered in the transactions that delete them.
CREATE TABLE purge_ledger (
    org_id TEXT NOT NULL,
    purge_id TEXT NOT NULL,
    target TEXT NOT NULL,
    deleted BIGINT NOT NULL,
    PRIMARY KEY (org_id, purge_id, target),
    FOREIGN KEY (org_id, purge_id) REFERENCES purge_operations (org_id, purge_id)
);

-- Agent playbooks that lost a link to the user's playbooks.
CREATE TABLE purge_unlinked (
    org_id TEXT NOT NULL,
    purge_id TEXT NOT NULL,
    agent_playbook_id BIGINT NOT NULL,
    PRIMARY KEY (org_id, purge_id, agent_playbook_id),
    FOREIGN KEY (org_id, purge_id) REFERENCES purge_operations (org_id, purge_id)
);

-- What governance did: references and counts, in the organization's own sequence without gaps.
CREATE TABLE audit_events (
    org_id TEXT NOT NULL REFERENCES organizations (org_id),
    sequence BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_ref TEXT NOT NULL,
    operation TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('ok', 'error')),
    subject_ref TEXT NOT NULL,
    request_ref TEXT NOT NULL,
    counts TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, sequence)
);
-- The referee of "a repeat writes no second audit row".
CREATE UNIQUE INDEX audit_events_one_ok ON audit_events (org_id, operation, subject_ref, request_ref)
WHERE outcome = 'ok';

-- Append-only, whoever asks.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit rows are never changed or deleted';
END;
$$;
CREATE TRIGGER audit_events_never_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- An export walks a user's scores in the order of their key.
DROP INDEX partner_scores_by_user;
CREATE INDEX partner_scores_by_user ON partner_scores (org_id, user_id, source_run_id, scorer_name);
