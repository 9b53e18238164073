-- What judges and partners said, and the totals that the overview reads. As with what is published, no row references
-- organizations, and every row that belongs to a user names the user.

-- What judges said of whole sessions. `created_at` and `source` are those of the session's first request.
CREATE TABLE evaluation_results (
    result_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    evaluation_name TEXT NOT NULL,
    is_success BOOLEAN NOT NULL,
    failure_type TEXT,
    failure_reason TEXT NOT NULL,
    regular_vs_shadow TEXT,
    number_of_correction_per_session BIGINT NOT NULL,
    user_turns_to_resolution BIGINT,
    is_escalated BOOLEAN NOT NULL,
    tags TEXT,
    source TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    judged_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX evaluation_results_by_identity
    ON evaluation_results (org_id, session_id, user_id, agent_version, evaluation_name);
CREATE INDEX evaluation_results_by_time ON evaluation_results (org_id, created_at, result_id);
CREATE INDEX evaluation_results_by_version ON evaluation_results (org_id, agent_version, created_at, result_id);
CREATE INDEX evaluation_results_by_user ON evaluation_results (org_id, user_id, created_at, result_id);

-- What judges said of the learnings that a session's turns retrieved: the newest set only.
CREATE TABLE retrieved_learning_results (
    result_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    interaction_id BIGINT,
    interaction_created_at BIGINT,
    kind TEXT NOT NULL,
    learning_id TEXT NOT NULL,
    is_relevant BOOLEAN,
    relevance_reason TEXT NOT NULL,
    impact TEXT,
    impact_reason TEXT NOT NULL,
    diagnosis TEXT,
    evaluated_playbook_digest TEXT,
    diagnosis_evidence_complete BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);
-- No turn has a negative number: -1 stands for verdicts that name none, of which there is one too.
CREATE UNIQUE INDEX retrieved_learning_results_by_identity ON retrieved_learning_results
    (org_id, session_id, user_id, coalesce(interaction_id, -1), kind, learning_id);
CREATE INDEX retrieved_learning_results_by_time ON retrieved_learning_results (org_id, created_at, result_id);
CREATE INDEX retrieved_learning_results_by_turn
    ON retrieved_learning_results (org_id, interaction_created_at, result_id);
CREATE INDEX retrieved_learning_results_by_user
    ON retrieved_learning_results (org_id, user_id, created_at, result_id);

-- Under which rubric and model judgements were made.
CREATE TABLE judge_epochs (
    epoch_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    prompt_hash TEXT NOT NULL,
    provider TEXT NOT NULL,
    requested_model TEXT NOT NULL,
    returned_model TEXT NOT NULL,
    first_used_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX judge_epochs_by_identity ON judge_epochs
    (org_id, prompt_version, prompt_hash, provider, requested_model, returned_model);

-- The fence of each session's judge: the newest run that began, and the newest whose verdicts are kept.
CREATE TABLE session_judgings (
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    begun_generation BIGINT NOT NULL,
    kept_generation BIGINT NOT NULL,
    kept_fingerprint TEXT,
    epoch_id BIGINT,
    input_tokens BIGINT,
    output_tokens BIGINT,
    latency_ms BIGINT,
    PRIMARY KEY (org_id, user_id, session_id)
);

-- What judges said of a turn against its shadow. `source` is that of the session's first request.
CREATE TABLE shadow_verdicts (
    verdict_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    interaction_id BIGINT NOT NULL,
    judge_prompt_version TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    source TEXT NOT NULL,
    service_is_request_1 BOOLEAN NOT NULL,
    better_request TEXT NOT NULL,
    is_significantly_better BOOLEAN NOT NULL,
    comparison_reason TEXT NOT NULL,
    epoch_id BIGINT,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX shadow_verdicts_by_identity
    ON shadow_verdicts (org_id, interaction_id, judge_prompt_version);
CREATE INDEX shadow_verdicts_recent
    ON shadow_verdicts (org_id, judge_prompt_version, created_at, verdict_id);
-- Holds all that the trend counts.
CREATE INDEX shadow_verdicts_counted ON shadow_verdicts
    (org_id, judge_prompt_version, created_at, source, better_request, service_is_request_1);
CREATE INDEX shadow_verdicts_by_session ON shadow_verdicts (org_id, user_id, session_id);

-- Scores that partners brought in; some are about nobody in particular.
CREATE TABLE partner_scores (
    org_id TEXT NOT NULL,
    source_run_id TEXT NOT NULL,
    scorer_name TEXT NOT NULL,
    value DOUBLE NOT NULL,
    ts BIGINT NOT NULL,
    user_id TEXT,
    session_id TEXT,
    PRIMARY KEY (org_id, source_run_id, scorer_name)
);
-- Holds all that the tiles add up.
CREATE INDEX partner_scores_by_time ON partner_scores (org_id, ts, scorer_name, user_id, session_id, value);
CREATE INDEX partner_scores_by_user ON partner_scores (org_id, user_id);

-- One observation per session: what the result says that speaks for it. Where writers do not queue, neighbours count
-- in different shards, so that they do not wait for each other's totals.
CREATE TABLE session_outcomes (
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    result_id BIGINT NOT NULL,
    is_agent_success BOOLEAN NOT NULL,
    judged_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    source TEXT NOT NULL,
    is_success BOOLEAN NOT NULL,
    corrections BIGINT NOT NULL,
    turns BIGINT,
    is_escalated BOOLEAN NOT NULL,
    is_system_error BOOLEAN NOT NULL,
    shard BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (org_id, user_id, session_id)
);
-- Holds all that the partial hours at a window's edges add up, and the lists of sessions.
CREATE INDEX session_outcomes_by_time ON session_outcomes (org_id, created_at, source, user_id, session_id,
    is_success, corrections, turns, is_escalated, is_system_error);

-- Totals of `session_outcomes` by hour (3600) and by day (86400), kept by triggers on every path.
CREATE TABLE outcome_rollup (
    org_id TEXT NOT NULL,
    grain BIGINT NOT NULL,
    start BIGINT NOT NULL,
    source TEXT NOT NULL,
    shard BIGINT NOT NULL,
    n BIGINT NOT NULL,
    successes BIGINT NOT NULL,
    corrections BIGINT NOT NULL,
    corrected_0 BIGINT NOT NULL,
    corrected_1 BIGINT NOT NULL,
    corrected_2 BIGINT NOT NULL,
    corrected_3 BIGINT NOT NULL,
    corrected_4 BIGINT NOT NULL,
    corrected_5 BIGINT NOT NULL,
    escalations BIGINT NOT NULL,
    turns_sum BIGINT NOT NULL,
    turns_n BIGINT NOT NULL,
    system_error_failures BIGINT NOT NULL,
    PRIMARY KEY (org_id, grain, start, source, shard)
) WITHOUT ROWID;

-- Evaluated sessions by the rules they cited, once each, kept by triggers on every path.
CREATE TABLE cited_outcomes (
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    rule_id TEXT NOT NULL,
    source TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    is_success BOOLEAN NOT NULL,
    title TEXT NOT NULL,
    titled_at BIGINT NOT NULL,
    titled_by BIGINT NOT NULL,
    PRIMARY KEY (org_id, user_id, session_id, kind, rule_id)
);
-- Holds all that attribution counts, in the order in which it groups.
CREATE INDEX cited_outcomes_by_rule
    ON cited_outcomes (org_id, kind, rule_id, source, created_at, is_success);
-- Where the newest title of a rule is found.
CREATE INDEX cited_outcomes_by_title
    ON cited_outcomes (org_id, kind, rule_id, titled_at, titled_by) WHERE title <> '';

-- What one session adds to the totals.
CREATE VIEW outcome_counts AS
SELECT org_id, user_id, session_id, created_at, source, shard,
    1 AS n, CASE WHEN is_success THEN 1 ELSE 0 END AS successes, corrections,
    CASE WHEN corrections = 0 THEN 1 ELSE 0 END AS corrected_0,
    CASE WHEN corrections = 1 THEN 1 ELSE 0 END AS corrected_1,
    CASE WHEN corrections = 2 THEN 1 ELSE 0 END AS corrected_2,
    CASE WHEN corrections = 3 THEN 1 ELSE 0 END AS corrected_3,
    CASE WHEN corrections = 4 THEN 1 ELSE 0 END AS corrected_4,
    CASE WHEN corrections >= 5 THEN 1 ELSE 0 END AS corrected_5,
    CASE WHEN is_escalated THEN 1 ELSE 0 END AS escalations, coalesce(turns, 0) AS turns_sum,
    CASE WHEN turns IS NOT NULL THEN 1 ELSE 0 END AS turns_n,
    CASE WHEN is_system_error THEN 1 ELSE 0 END AS system_error_failures
FROM session_outcomes;

CREATE TRIGGER session_outcomes_come AFTER INSERT ON session_outcomes BEGIN
    INSERT INTO outcome_rollup (org_id, grain, start, source, shard,
        n, successes, corrections, corrected_0, corrected_1, corrected_2, corrected_3, corrected_4, corrected_5,
        escalations, turns_sum, turns_n, system_error_failures)
    SELECT org_id, grain, created_at - ((created_at % grain) + grain) % grain, source, shard,
        n, successes, corrections, corrected_0, corrected_1, corrected_2, corrected_3, corrected_4, corrected_5,
        escalations, turns_sum, turns_n, system_error_failures
    FROM outcome_counts CROSS JOIN (SELECT 3600 AS grain UNION ALL SELECT 86400) AS grains
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id
    ON CONFLICT (org_id, grain, start, source, shard) DO UPDATE SET
        n = n + excluded.n, successes = successes + excluded.successes,
        corrections = corrections + excluded.corrections, corrected_0 = corrected_0 + excluded.corrected_0,
        corrected_1 = corrected_1 + excluded.corrected_1, corrected_2 = corrected_2 + excluded.corrected_2,
        corrected_3 = corrected_3 + excluded.corrected_3, corrected_4 = corrected_4 + excluded.corrected_4,
        corrected_5 = corrected_5 + excluded.corrected_5, escalations = escalations + excluded.escalations,
        turns_sum = turns_sum + excluded.turns_sum, turns_n = turns_n + excluded.turns_n,
        system_error_failures = system_error_failures + excluded.system_error_failures;
END;

CREATE TRIGGER session_outcomes_go BEFORE DELETE ON session_outcomes BEGIN
    INSERT INTO outcome_rollup (org_id, grain, start, source, shard,
        n, successes, corrections, corrected_0, corrected_1, corrected_2, corrected_3, corrected_4, corrected_5,
        escalations, turns_sum, turns_n, system_error_failures)
    SELECT org_id, grain, created_at - ((created_at % grain) + grain) % grain, source, shard,
        -n, -successes, -corrections, -corrected_0, -corrected_1, -corrected_2, -corrected_3, -corrected_4,
        -corrected_5, -escalations, -turns_sum, -turns_n, -system_error_failures
    FROM outcome_counts CROSS JOIN (SELECT 3600 AS grain UNION ALL SELECT 86400) AS grains
    WHERE org_id = OLD.org_id AND user_id = OLD.user_id AND session_id = OLD.session_id
    ON CONFLICT (org_id, grain, start, source, shard) DO UPDATE SET
        n = n + excluded.n, successes = successes + excluded.successes,
        corrections = corrections + excluded.corrections, corrected_0 = corrected_0 + excluded.corrected_0,
        corrected_1 = corrected_1 + excluded.corrected_1, corrected_2 = corrected_2 + excluded.corrected_2,
        corrected_3 = corrected_3 + excluded.corrected_3, corrected_4 = corrected_4 + excluded.corrected_4,
        corrected_5 = corrected_5 + excluded.corrected_5, escalations = escalations + excluded.escalations,
        turns_sum = turns_sum + excluded.turns_sum, turns_n = turns_n + excluded.turns_n,
        system_error_failures = system_error_failures + excluded.system_error_failures;
    DELETE FROM outcome_rollup
    WHERE org_id = OLD.org_id AND grain = 3600 AND start = OLD.created_at - ((OLD.created_at % 3600) + 3600) % 3600
        AND source = OLD.source AND shard = OLD.shard AND n = 0;
    DELETE FROM outcome_rollup
    WHERE org_id = OLD.org_id AND grain = 86400 AND start = OLD.created_at - ((OLD.created_at % 86400) + 86400) % 86400
        AND source = OLD.source AND shard = OLD.shard AND n = 0;
END;

-- A change is a going and a coming.
CREATE TRIGGER session_outcomes_change_from
BEFORE UPDATE OF created_at, source, shard, is_success, corrections, turns, is_escalated, is_system_error
ON session_outcomes BEGIN
    INSERT INTO outcome_rollup (org_id, grain, start, source, shard,
        n, successes, corrections, corrected_0, corrected_1, corrected_2, corrected_3, corrected_4, corrected_5,
        escalations, turns_sum, turns_n, system_error_failures)
    SELECT org_id, grain, created_at - ((created_at % grain) + grain) % grain, source, shard,
        -n, -successes, -corrections, -corrected_0, -corrected_1, -corrected_2, -corrected_3, -corrected_4,
        -corrected_5, -escalations, -turns_sum, -turns_n, -system_error_failures
    FROM outcome_counts CROSS JOIN (SELECT 3600 AS grain UNION ALL SELECT 86400) AS grains
    WHERE org_id = OLD.org_id AND user_id = OLD.user_id AND session_id = OLD.session_id
    ON CONFLICT (org_id, grain, start, source, shard) DO UPDATE SET
        n = n + excluded.n, successes = successes + excluded.successes,
        corrections = corrections + excluded.corrections, corrected_0 = corrected_0 + excluded.corrected_0,
        corrected_1 = corrected_1 + excluded.corrected_1, corrected_2 = corrected_2 + excluded.corrected_2,
        corrected_3 = corrected_3 + excluded.corrected_3, corrected_4 = corrected_4 + excluded.corrected_4,
        corrected_5 = corrected_5 + excluded.corrected_5, escalations = escalations + excluded.escalations,
        turns_sum = turns_sum + excluded.turns_sum, turns_n = turns_n + excluded.turns_n,
        system_error_failures = system_error_failures + excluded.system_error_failures;
    DELETE FROM outcome_rollup
    WHERE org_id = OLD.org_id AND grain = 3600 AND start = OLD.created_at - ((OLD.created_at % 3600) + 3600) % 3600
        AND source = OLD.source AND shard = OLD.shard AND n = 0;
    DELETE FROM outcome_rollup
    WHERE org_id = OLD.org_id AND grain = 86400 AND start = OLD.created_at - ((OLD.created_at % 86400) + 86400) % 86400
        AND source = OLD.source AND shard = OLD.shard AND n = 0;
END;

CREATE TRIGGER session_outcomes_change_to
AFTER UPDATE OF created_at, source, shard, is_success, corrections, turns, is_escalated, is_system_error
ON session_outcomes BEGIN
    INSERT INTO outcome_rollup (org_id, grain, start, source, shard,
        n, successes, corrections, corrected_0, corrected_1, corrected_2, corrected_3, corrected_4, corrected_5,
        escalations, turns_sum, turns_n, system_error_failures)
    SELECT org_id, grain, created_at - ((created_at % grain) + grain) % grain, source, shard,
        n, successes, corrections, corrected_0, corrected_1, corrected_2, corrected_3, corrected_4, corrected_5,
        escalations, turns_sum, turns_n, system_error_failures
    FROM outcome_counts CROSS JOIN (SELECT 3600 AS grain UNION ALL SELECT 86400) AS grains
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id
    ON CONFLICT (org_id, grain, start, source, shard) DO UPDATE SET
        n = n + excluded.n, successes = successes + excluded.successes,
        corrections = corrections + excluded.corrections, corrected_0 = corrected_0 + excluded.corrected_0,
        corrected_1 = corrected_1 + excluded.corrected_1, corrected_2 = corrected_2 + excluded.corrected_2,
        corrected_3 = corrected_3 + excluded.corrected_3, corrected_4 = corrected_4 + excluded.corrected_4,
        corrected_5 = corrected_5 + excluded.corrected_5, escalations = escalations + excluded.escalations,
        turns_sum = turns_sum + excluded.turns_sum, turns_n = turns_n + excluded.turns_n,
        system_error_failures = system_error_failures + excluded.system_error_failures;
END;

-- A session's cited rules enter when it is judged, follow it, and leave with it.
CREATE TRIGGER session_outcomes_cite AFTER INSERT ON session_outcomes BEGIN
    INSERT INTO cited_outcomes (org_id, user_id, session_id, kind, rule_id, source, created_at, is_success,
        title, titled_at, titled_by)
    SELECT org_id, user_id, session_id, kind, rule_id, NEW.source, NEW.created_at, NEW.is_success,
        title, cited_at, interaction_id
    FROM session_citations
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id;
END;

CREATE TRIGGER session_outcomes_cite_otherwise
AFTER UPDATE OF created_at, source, is_success ON session_outcomes BEGIN
    UPDATE cited_outcomes
    SET source = NEW.source, created_at = NEW.created_at, is_success = NEW.is_success
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id;
END;

CREATE TRIGGER session_outcomes_cite_no_more AFTER DELETE ON session_outcomes BEGIN
    DELETE FROM cited_outcomes
    WHERE org_id = OLD.org_id AND user_id = OLD.user_id AND session_id = OLD.session_id;
END;

-- Citations may also come, change and go after the session was judged.
CREATE TRIGGER session_citations_come AFTER INSERT ON session_citations BEGIN
    INSERT INTO cited_outcomes (org_id, user_id, session_id, kind, rule_id, source, created_at, is_success,
        title, titled_at, titled_by)
    SELECT org_id, user_id, session_id, NEW.kind, NEW.rule_id, source, created_at, is_success,
        NEW.title, NEW.cited_at, NEW.interaction_id
    FROM session_outcomes
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id;
END;

CREATE TRIGGER session_citations_change AFTER UPDATE ON session_citations BEGIN
    UPDATE cited_outcomes
    SET title = NEW.title, titled_at = NEW.cited_at, titled_by = NEW.interaction_id
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id
        AND kind = NEW.kind AND rule_id = NEW.rule_id;
END;

CREATE TRIGGER session_citations_go AFTER DELETE ON session_citations BEGIN
    DELETE FROM cited_outcomes
    WHERE org_id = OLD.org_id AND user_id = OLD.user_id AND session_id = OLD.session_id
        AND kind = OLD.kind AND rule_id = OLD.rule_id;
END;

-- An earlier request that arrives late moves what was said of its session.
CREATE TRIGGER sessions_begin AFTER INSERT ON sessions BEGIN
    UPDATE evaluation_results SET created_at = NEW.first_request_at, source = NEW.source
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id;
    UPDATE session_outcomes SET created_at = NEW.first_request_at, source = NEW.source
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id;
    UPDATE shadow_verdicts SET source = NEW.source
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id;
END;

CREATE TRIGGER sessions_begin_earlier AFTER UPDATE OF first_request_at, source ON sessions
WHEN OLD.first_request_at <> NEW.first_request_at OR OLD.source <> NEW.source BEGIN
    UPDATE evaluation_results SET created_at = NEW.first_request_at, source = NEW.source
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id;
    UPDATE session_outcomes SET created_at = NEW.first_request_at, source = NEW.source
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id;
    UPDATE shadow_verdicts SET source = NEW.source
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id;
END;
