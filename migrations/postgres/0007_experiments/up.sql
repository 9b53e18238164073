-- What a session is to an experiment that one of its requests is tagged with. The arm is that of the earliest such
-- request by (time, request id); tokens are those of all of them. The last five columns repeat the session's outcome and
-- are null without one. Publishing enters the sessions, `session_outcomes` moves what is repeated.
CREATE TABLE experiment_sessions (
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    experiment_id TEXT NOT NULL,
    arm TEXT NOT NULL CHECK (arm IN ('treatment', 'holdout')),
    first_tagged_at BIGINT NOT NULL,
    first_tagged_id TEXT COLLATE "C" NOT NULL,
    last_tagged_at BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    uncounted_turns BIGINT NOT NULL,
    -- Whether a request tagged holdout declares retrieved learnings or citations.
    is_contaminated BOOLEAN NOT NULL,
    evaluated_at BIGINT,
    is_success BOOLEAN,
    corrections BIGINT,
    turns BIGINT,
    is_escalated BOOLEAN,
    PRIMARY KEY (org_id, user_id, session_id, experiment_id)
);
-- Where the sessions outside an experiment's window are found.
CREATE INDEX experiment_sessions_by_time ON experiment_sessions (org_id, experiment_id, arm, evaluated_at);
CREATE INDEX experiment_sessions_by_tag ON experiment_sessions (org_id, experiment_id, last_tagged_at);
CREATE INDEX experiment_sessions_contaminated ON experiment_sessions (org_id, experiment_id) WHERE is_contaminated;

-- Totals of exposures and of `experiment_sessions` by arm and user, whenever the sessions were, kept by triggers on every
-- path: a reading of results costs what the users cost, not their sessions.
CREATE TABLE experiment_users (
    org_id TEXT NOT NULL,
    experiment_id TEXT NOT NULL,
    arm TEXT NOT NULL,
    user_id TEXT NOT NULL,
    exposures BIGINT NOT NULL DEFAULT 0,
    published BIGINT NOT NULL DEFAULT 0,
    counted BIGINT NOT NULL DEFAULT 0,
    output_tokens BIGINT NOT NULL DEFAULT 0,
    evaluated BIGINT NOT NULL DEFAULT 0,
    successes BIGINT NOT NULL DEFAULT 0,
    corrections BIGINT NOT NULL DEFAULT 0,
    turns BIGINT NOT NULL DEFAULT 0,
    resolved BIGINT NOT NULL DEFAULT 0,
    escalated BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (org_id, experiment_id, arm, user_id)
);
CREATE INDEX experiment_users_by_user ON experiment_users (org_id, user_id);

-- Takes what went from the totals and adds what came; in order, so that two writers never wait for each other in a circle.
CREATE FUNCTION follow_experiment_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    went experiment_sessions[];
    came experiment_sessions[];
BEGIN
    IF TG_OP <> 'INSERT' THEN
        SELECT array_agg(ROW(o.*)::experiment_sessions) INTO went FROM old_rows AS o;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        SELECT array_agg(ROW(n.*)::experiment_sessions) INTO came FROM new_rows AS n;
    END IF;
    IF went IS NULL AND came IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO experiment_users AS kept (org_id, experiment_id, arm, user_id,
        published, counted, output_tokens, evaluated, successes, corrections, turns, resolved, escalated)
    SELECT org_id, experiment_id, arm, user_id, sum(sign), sum(CASE WHEN uncounted_turns = 0 THEN sign ELSE 0 END),
        sum(CASE WHEN uncounted_turns = 0 THEN sign * output_tokens ELSE 0 END),
        sum(CASE WHEN evaluated_at IS NOT NULL THEN sign ELSE 0 END), sum(CASE WHEN is_success THEN sign ELSE 0 END),
        sum(sign * coalesce(corrections, 0)), sum(sign * coalesce(turns, 0)),
        sum(CASE WHEN turns IS NOT NULL THEN sign ELSE 0 END), sum(CASE WHEN is_escalated THEN sign ELSE 0 END)
    FROM (SELECT CAST(-1 AS BIGINT) AS sign, * FROM unnest(went) UNION ALL SELECT 1, * FROM unnest(came)) AS moves
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (org_id, experiment_id, arm, user_id) DO UPDATE SET
        published = kept.published + excluded.published, counted = kept.counted + excluded.counted,
        output_tokens = kept.output_tokens + excluded.output_tokens, evaluated = kept.evaluated + excluded.evaluated,
        successes = kept.successes + excluded.successes, corrections = kept.corrections + excluded.corrections,
        turns = kept.turns + excluded.turns, resolved = kept.resolved + excluded.resolved,
        escalated = kept.escalated + excluded.escalated;
    -- Only who left an arm can have left it empty.
    DELETE FROM experiment_users USING
        (SELECT org_id, experiment_id, arm, user_id FROM unnest(went)
         EXCEPT SELECT org_id, experiment_id, arm, user_id FROM unnest(came)) AS gone
    WHERE experiment_users.org_id = gone.org_id AND experiment_users.experiment_id = gone.experiment_id
        AND experiment_users.arm = gone.arm AND experiment_users.user_id = gone.user_id
        AND experiment_users.published <= 0 AND experiment_users.exposures <= 0;
    RETURN NULL;
END;
$$;
CREATE TRIGGER experiment_sessions_come AFTER INSERT ON experiment_sessions
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION follow_experiment_sessions();
CREATE TRIGGER experiment_sessions_go AFTER DELETE ON experiment_sessions
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION follow_experiment_sessions();
CREATE TRIGGER experiment_sessions_change AFTER UPDATE ON experiment_sessions
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION follow_experiment_sessions();

CREATE FUNCTION follow_search_exposures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO experiment_users AS kept (org_id, experiment_id, arm, user_id, exposures)
        SELECT org_id, experiment_id, arm, user_id, count(*) FROM new_rows GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        ON CONFLICT (org_id, experiment_id, arm, user_id)
        DO UPDATE SET exposures = kept.exposures + excluded.exposures;
    ELSE
        UPDATE experiment_users SET exposures = exposures - gone.n
        FROM (SELECT org_id, experiment_id, arm, user_id, count(*) AS n FROM old_rows GROUP BY 1, 2, 3, 4) AS gone
        WHERE experiment_users.org_id = gone.org_id AND experiment_users.experiment_id = gone.experiment_id
            AND experiment_users.arm = gone.arm AND experiment_users.user_id = gone.user_id;
        DELETE FROM experiment_users USING old_rows AS gone
        WHERE experiment_users.org_id = gone.org_id AND experiment_users.experiment_id = gone.experiment_id
            AND experiment_users.arm = gone.arm AND experiment_users.user_id = gone.user_id
            AND experiment_users.published <= 0 AND experiment_users.exposures <= 0;
    END IF;
    RETURN NULL;
END;
$$;
CREATE TRIGGER search_exposures_come AFTER INSERT ON search_exposures
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION follow_search_exposures();
CREATE TRIGGER search_exposures_go AFTER DELETE ON search_exposures
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION follow_search_exposures();

-- A session's outcome is repeated when it is judged, follows it, and leaves with it.
CREATE FUNCTION follow_session_outcomes_in_experiments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE experiment_sessions AS kept
        SET evaluated_at = NULL, is_success = NULL, corrections = NULL, turns = NULL, is_escalated = NULL
        FROM old_rows AS gone
        WHERE kept.org_id = gone.org_id AND kept.user_id = gone.user_id AND kept.session_id = gone.session_id;
    ELSE
        UPDATE experiment_sessions AS kept
        SET evaluated_at = told.created_at, is_success = told.is_success, corrections = told.corrections,
            turns = told.turns, is_escalated = told.is_escalated
        FROM new_rows AS told
        WHERE kept.org_id = told.org_id AND kept.user_id = told.user_id AND kept.session_id = told.session_id;
    END IF;
    RETURN NULL;
END;
$$;
CREATE TRIGGER session_outcomes_enter_experiments AFTER INSERT ON session_outcomes
    REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION follow_session_outcomes_in_experiments();
CREATE TRIGGER session_outcomes_change_in_experiments AFTER UPDATE ON session_outcomes
    REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION follow_session_outcomes_in_experiments();
CREATE TRIGGER session_outcomes_leave_experiments AFTER DELETE ON session_outcomes
    REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION follow_session_outcomes_in_experiments();

-- A session that is taken back leaves its experiments.
CREATE FUNCTION follow_sessions_in_experiments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM experiment_sessions
    USING old_rows AS gone
    WHERE experiment_sessions.org_id = gone.org_id AND experiment_sessions.user_id = gone.user_id
        AND experiment_sessions.session_id = gone.session_id;
    RETURN NULL;
END;
$$;
CREATE TRIGGER sessions_leave_experiments AFTER DELETE ON sessions
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION follow_sessions_in_experiments();
