-- The gate's exposures by arm: users are counted in the order of the index.
CREATE INDEX search_exposures_by_arm ON search_exposures (org_id, experiment_id, arm, user_id);

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
    first_tagged_id TEXT NOT NULL,
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

-- Totals of `experiment_sessions` by arm and user, whenever the sessions were, kept by triggers on every path.
CREATE TABLE experiment_users (
    org_id TEXT NOT NULL,
    experiment_id TEXT NOT NULL,
    arm TEXT NOT NULL,
    user_id TEXT NOT NULL,
    published BIGINT NOT NULL,
    counted BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    evaluated BIGINT NOT NULL,
    successes BIGINT NOT NULL,
    corrections BIGINT NOT NULL,
    turns BIGINT NOT NULL,
    resolved BIGINT NOT NULL,
    escalated BIGINT NOT NULL,
    PRIMARY KEY (org_id, experiment_id, arm, user_id)
);
CREATE INDEX experiment_users_by_user ON experiment_users (org_id, user_id);

-- What a session adds to the totals of its user.
CREATE VIEW experiment_session_counts AS
SELECT org_id, user_id, session_id, experiment_id, arm,
    1 AS published,
    CASE WHEN uncounted_turns = 0 THEN 1 ELSE 0 END AS counted,
    CASE WHEN uncounted_turns = 0 THEN output_tokens ELSE 0 END AS output_tokens,
    CASE WHEN evaluated_at IS NOT NULL THEN 1 ELSE 0 END AS evaluated,
    CASE WHEN is_success THEN 1 ELSE 0 END AS successes,
    coalesce(corrections, 0) AS corrections,
    coalesce(turns, 0) AS turns,
    CASE WHEN turns IS NOT NULL THEN 1 ELSE 0 END AS resolved,
    CASE WHEN is_escalated THEN 1 ELSE 0 END AS escalated
FROM experiment_sessions;

CREATE TRIGGER experiment_sessions_come AFTER INSERT ON experiment_sessions BEGIN
    INSERT INTO experiment_users (org_id, experiment_id, arm, user_id,
        published, counted, output_tokens, evaluated, successes, corrections, turns, resolved, escalated)
    SELECT org_id, experiment_id, arm, user_id,
        published, counted, output_tokens, evaluated, successes, corrections, turns, resolved, escalated
    FROM experiment_session_counts
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id
        AND experiment_id = NEW.experiment_id
    ON CONFLICT (org_id, experiment_id, arm, user_id) DO UPDATE SET
        published = published + excluded.published, counted = counted + excluded.counted,
        output_tokens = output_tokens + excluded.output_tokens, evaluated = evaluated + excluded.evaluated,
        successes = successes + excluded.successes, corrections = corrections + excluded.corrections,
        turns = turns + excluded.turns, resolved = resolved + excluded.resolved,
        escalated = escalated + excluded.escalated;
END;

CREATE TRIGGER experiment_sessions_go BEFORE DELETE ON experiment_sessions BEGIN
    INSERT INTO experiment_users (org_id, experiment_id, arm, user_id,
        published, counted, output_tokens, evaluated, successes, corrections, turns, resolved, escalated)
    SELECT org_id, experiment_id, arm, user_id,
        -published, -counted, -output_tokens, -evaluated, -successes, -corrections, -turns, -resolved, -escalated
    FROM experiment_session_counts
    WHERE org_id = OLD.org_id AND user_id = OLD.user_id AND session_id = OLD.session_id
        AND experiment_id = OLD.experiment_id
    ON CONFLICT (org_id, experiment_id, arm, user_id) DO UPDATE SET
        published = published + excluded.published, counted = counted + excluded.counted,
        output_tokens = output_tokens + excluded.output_tokens, evaluated = evaluated + excluded.evaluated,
        successes = successes + excluded.successes, corrections = corrections + excluded.corrections,
        turns = turns + excluded.turns, resolved = resolved + excluded.resolved,
        escalated = escalated + excluded.escalated;
    DELETE FROM experiment_users
    WHERE org_id = OLD.org_id AND experiment_id = OLD.experiment_id AND arm = OLD.arm AND user_id = OLD.user_id
        AND published <= 0;
END;

-- A change is a going and a coming.
CREATE TRIGGER experiment_sessions_change_from BEFORE UPDATE ON experiment_sessions BEGIN
    INSERT INTO experiment_users (org_id, experiment_id, arm, user_id,
        published, counted, output_tokens, evaluated, successes, corrections, turns, resolved, escalated)
    SELECT org_id, experiment_id, arm, user_id,
        -published, -counted, -output_tokens, -evaluated, -successes, -corrections, -turns, -resolved, -escalated
    FROM experiment_session_counts
    WHERE org_id = OLD.org_id AND user_id = OLD.user_id AND session_id = OLD.session_id
        AND experiment_id = OLD.experiment_id
    ON CONFLICT (org_id, experiment_id, arm, user_id) DO UPDATE SET
        published = published + excluded.published, counted = counted + excluded.counted,
        output_tokens = output_tokens + excluded.output_tokens, evaluated = evaluated + excluded.evaluated,
        successes = successes + excluded.successes, corrections = corrections + excluded.corrections,
        turns = turns + excluded.turns, resolved = resolved + excluded.resolved,
        escalated = escalated + excluded.escalated;
    DELETE FROM experiment_users
    WHERE org_id = OLD.org_id AND experiment_id = OLD.experiment_id AND arm = OLD.arm AND user_id = OLD.user_id
        AND published <= 0 AND NEW.arm <> OLD.arm;
END;

CREATE TRIGGER experiment_sessions_change_to AFTER UPDATE ON experiment_sessions BEGIN
    INSERT INTO experiment_users (org_id, experiment_id, arm, user_id,
        published, counted, output_tokens, evaluated, successes, corrections, turns, resolved, escalated)
    SELECT org_id, experiment_id, arm, user_id,
        published, counted, output_tokens, evaluated, successes, corrections, turns, resolved, escalated
    FROM experiment_session_counts
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id
        AND experiment_id = NEW.experiment_id
    ON CONFLICT (org_id, experiment_id, arm, user_id) DO UPDATE SET
        published = published + excluded.published, counted = counted + excluded.counted,
        output_tokens = output_tokens + excluded.output_tokens, evaluated = evaluated + excluded.evaluated,
        successes = successes + excluded.successes, corrections = corrections + excluded.corrections,
        turns = turns + excluded.turns, resolved = resolved + excluded.resolved,
        escalated = escalated + excluded.escalated;
END;

-- A session's outcome is repeated when it is judged, follows it, and leaves with it.
CREATE TRIGGER session_outcomes_enter_experiments AFTER INSERT ON session_outcomes BEGIN
    UPDATE experiment_sessions SET evaluated_at = NEW.created_at, is_success = NEW.is_success,
        corrections = NEW.corrections, turns = NEW.turns, is_escalated = NEW.is_escalated
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id;
END;

CREATE TRIGGER session_outcomes_change_in_experiments
AFTER UPDATE OF created_at, is_success, corrections, turns, is_escalated ON session_outcomes BEGIN
    UPDATE experiment_sessions SET evaluated_at = NEW.created_at, is_success = NEW.is_success,
        corrections = NEW.corrections, turns = NEW.turns, is_escalated = NEW.is_escalated
    WHERE org_id = NEW.org_id AND user_id = NEW.user_id AND session_id = NEW.session_id;
END;

CREATE TRIGGER session_outcomes_leave_experiments AFTER DELETE ON session_outcomes BEGIN
    UPDATE experiment_sessions
    SET evaluated_at = NULL, is_success = NULL, corrections = NULL, turns = NULL, is_escalated = NULL
    WHERE org_id = OLD.org_id AND user_id = OLD.user_id AND session_id = OLD.session_id;
END;

-- A session that is taken back leaves its experiments.
CREATE TRIGGER sessions_leave_experiments AFTER DELETE ON sessions BEGIN
    DELETE FROM experiment_sessions
    WHERE org_id = OLD.org_id AND user_id = OLD.user_id AND session_id = OLD.session_id;
END;
