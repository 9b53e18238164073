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

CREATE TRIGGER experiment_sessions_come AFTER INSERT ON experiment_sessions BEGIN
    INSERT INTO experiment_users (org_id, experiment_id, arm, user_id,
        published, counted, output_tokens, evaluated, successes, corrections, turns, resolved, escalated)
    VALUES (NEW.org_id, NEW.experiment_id, NEW.arm, NEW.user_id,
        1, NEW.uncounted_turns = 0, iif(NEW.uncounted_turns = 0, NEW.output_tokens, 0), NEW.evaluated_at IS NOT NULL,
        coalesce(NEW.is_success, 0), coalesce(NEW.corrections, 0), coalesce(NEW.turns, 0), NEW.turns IS NOT NULL,
        coalesce(NEW.is_escalated, 0))
    ON CONFLICT (org_id, experiment_id, arm, user_id) DO UPDATE SET
        published = published + excluded.published, counted = counted + excluded.counted,
        output_tokens = output_tokens + excluded.output_tokens, evaluated = evaluated + excluded.evaluated,
        successes = successes + excluded.successes, corrections = corrections + excluded.corrections,
        turns = turns + excluded.turns, resolved = resolved + excluded.resolved,
        escalated = escalated + excluded.escalated;
END;

CREATE TRIGGER experiment_sessions_go AFTER DELETE ON experiment_sessions BEGIN
    UPDATE experiment_users SET
        published = published - 1, counted = counted - (OLD.uncounted_turns = 0),
        output_tokens = output_tokens - iif(OLD.uncounted_turns = 0, OLD.output_tokens, 0),
        evaluated = evaluated - (OLD.evaluated_at IS NOT NULL), successes = successes - coalesce(OLD.is_success, 0),
        corrections = corrections - coalesce(OLD.corrections, 0), turns = turns - coalesce(OLD.turns, 0),
        resolved = resolved - (OLD.turns IS NOT NULL), escalated = escalated - coalesce(OLD.is_escalated, 0)
    WHERE org_id = OLD.org_id AND experiment_id = OLD.experiment_id AND arm = OLD.arm AND user_id = OLD.user_id;
    DELETE FROM experiment_users
    WHERE org_id = OLD.org_id AND experiment_id = OLD.experiment_id AND arm = OLD.arm AND user_id = OLD.user_id
        AND published = 0 AND exposures = 0;
END;

-- A change is a going and a coming.
CREATE TRIGGER experiment_sessions_change AFTER UPDATE ON experiment_sessions BEGIN
    UPDATE experiment_users SET
        published = published - 1, counted = counted - (OLD.uncounted_turns = 0),
        output_tokens = output_tokens - iif(OLD.uncounted_turns = 0, OLD.output_tokens, 0),
        evaluated = evaluated - (OLD.evaluated_at IS NOT NULL), successes = successes - coalesce(OLD.is_success, 0),
        corrections = corrections - coalesce(OLD.corrections, 0), turns = turns - coalesce(OLD.turns, 0),
        resolved = resolved - (OLD.turns IS NOT NULL), escalated = escalated - coalesce(OLD.is_escalated, 0)
    WHERE org_id = OLD.org_id AND experiment_id = OLD.experiment_id AND arm = OLD.arm AND user_id = OLD.user_id;
    INSERT INTO experiment_users (org_id, experiment_id, arm, user_id,
        published, counted, output_tokens, evaluated, successes, corrections, turns, resolved, escalated)
    VALUES (NEW.org_id, NEW.experiment_id, NEW.arm, NEW.user_id,
        1, NEW.uncounted_turns = 0, iif(NEW.uncounted_turns = 0, NEW.output_tokens, 0), NEW.evaluated_at IS NOT NULL,
        coalesce(NEW.is_success, 0), coalesce(NEW.corrections, 0), coalesce(NEW.turns, 0), NEW.turns IS NOT NULL,
        coalesce(NEW.is_escalated, 0))
    ON CONFLICT (org_id, experiment_id, arm, user_id) DO UPDATE SET
        published = published + excluded.published, counted = counted + excluded.counted,
        output_tokens = output_tokens + excluded.output_tokens, evaluated = evaluated + excluded.evaluated,
        successes = successes + excluded.successes, corrections = corrections + excluded.corrections,
        turns = turns + excluded.turns, resolved = resolved + excluded.resolved,
        escalated = escalated + excluded.escalated;
    DELETE FROM experiment_users
    WHERE org_id = OLD.org_id AND experiment_id = OLD.experiment_id AND arm = OLD.arm AND user_id = OLD.user_id
        AND published = 0 AND exposures = 0;
END;

CREATE TRIGGER search_exposures_come AFTER INSERT ON search_exposures BEGIN
    INSERT INTO experiment_users (org_id, experiment_id, arm, user_id, exposures)
    VALUES (NEW.org_id, NEW.experiment_id, NEW.arm, NEW.user_id, 1)
    ON CONFLICT (org_id, experiment_id, arm, user_id) DO UPDATE SET exposures = exposures + 1;
END;

CREATE TRIGGER search_exposures_go AFTER DELETE ON search_exposures BEGIN
    UPDATE experiment_users SET exposures = exposures - 1
    WHERE org_id = OLD.org_id AND experiment_id = OLD.experiment_id AND arm = OLD.arm AND user_id = OLD.user_id;
    DELETE FROM experiment_users
    WHERE org_id = OLD.org_id AND experiment_id = OLD.experiment_id AND arm = OLD.arm AND user_id = OLD.user_id
        AND published = 0 AND exposures = 0;
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
