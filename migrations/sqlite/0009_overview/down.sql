DROP INDEX evaluation_results_escalated;
DROP INDEX evaluation_results_failed;
DROP INDEX evaluation_results_by_source;
ALTER TABLE evaluation_results DROP COLUMN epoch_id;
DROP TRIGGER session_outcomes_come;
DROP TRIGGER session_outcomes_go;
DROP TRIGGER session_outcomes_change_from;
DROP TRIGGER session_outcomes_change_to;
DROP VIEW outcome_counts;
ALTER TABLE outcome_rollup DROP COLUMN turns_squares;
ALTER TABLE outcome_rollup DROP COLUMN corrections_squares;

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
