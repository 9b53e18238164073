-- Sums of squares beside the sums, so that a mean over any window comes with its uncertainty.
ALTER TABLE outcome_rollup ADD COLUMN corrections_squares BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outcome_rollup ADD COLUMN turns_squares BIGINT NOT NULL DEFAULT 0;

-- What one session adds to the totals. A square stays as it is from a million on, so that a sum of absurd ones still fits.
CREATE OR REPLACE VIEW outcome_counts AS
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
    CASE WHEN is_system_error THEN 1 ELSE 0 END AS system_error_failures,
    CASE WHEN corrections < 1000000 THEN corrections * corrections ELSE 1000000000000 END AS corrections_squares,
    CASE WHEN turns IS NULL THEN 0 WHEN turns < 1000000 THEN turns * turns ELSE 1000000000000 END AS turns_squares,
    result_id
FROM session_outcomes;

-- Takes what went from the totals and adds what came; in order, so that two writers never wait for each other in a circle.
-- A session's cited rules enter when it is judged, follow it, and leave with it.
CREATE OR REPLACE FUNCTION follow_session_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    went session_outcomes[];
    came session_outcomes[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(ROW(n.*)::session_outcomes) INTO came FROM new_rows AS n;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT array_agg(ROW(o.*)::session_outcomes) INTO went FROM old_rows AS o;
    ELSE
        SELECT array_agg(ROW(o.*)::session_outcomes), array_agg(ROW(n.*)::session_outcomes) INTO went, came
        FROM old_rows AS o JOIN new_rows AS n USING (org_id, user_id, session_id)
        WHERE (o.created_at, o.source, o.shard, o.is_success, o.corrections, o.turns, o.is_escalated,
            o.is_system_error) IS DISTINCT FROM (n.created_at, n.source, n.shard, n.is_success, n.corrections,
            n.turns, n.is_escalated, n.is_system_error);
    END IF;
    IF went IS NULL AND came IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO outcome_rollup AS kept (org_id, grain, start, source, shard,
        n, successes, corrections, corrected_0, corrected_1, corrected_2, corrected_3, corrected_4, corrected_5,
        escalations, turns_sum, turns_n, system_error_failures, corrections_squares, turns_squares)
    SELECT org_id, grain, created_at - ((created_at % grain) + grain) % grain AS start, source, shard,
        sum(sign), sum(CASE WHEN is_success THEN sign ELSE 0 END), sum(sign * corrections),
        sum(CASE WHEN corrections = 0 THEN sign ELSE 0 END),
        sum(CASE WHEN corrections = 1 THEN sign ELSE 0 END),
        sum(CASE WHEN corrections = 2 THEN sign ELSE 0 END),
        sum(CASE WHEN corrections = 3 THEN sign ELSE 0 END),
        sum(CASE WHEN corrections = 4 THEN sign ELSE 0 END),
        sum(CASE WHEN corrections >= 5 THEN sign ELSE 0 END), sum(CASE WHEN is_escalated THEN sign ELSE 0 END),
        sum(sign * coalesce(turns, 0)), sum(CASE WHEN turns IS NOT NULL THEN sign ELSE 0 END),
        sum(CASE WHEN is_system_error THEN sign ELSE 0 END),
        sum(sign * CASE WHEN corrections < 1000000 THEN corrections * corrections ELSE 1000000000000 END),
        sum(sign * CASE WHEN turns IS NULL THEN 0 WHEN turns < 1000000 THEN turns * turns ELSE 1000000000000 END)
    FROM (SELECT CAST(-1 AS BIGINT) AS sign, * FROM unnest(went) UNION ALL SELECT 1, * FROM unnest(came)) AS moves
    CROSS JOIN (VALUES (CAST(3600 AS BIGINT)), (86400)) AS grains (grain)
    GROUP BY 1, 2, 3, 4, 5
    ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (org_id, grain, start, source, shard) DO UPDATE SET
        n = kept.n + excluded.n, successes = kept.successes + excluded.successes,
        corrections = kept.corrections + excluded.corrections,
        corrected_0 = kept.corrected_0 + excluded.corrected_0,
        corrected_1 = kept.corrected_1 + excluded.corrected_1,
        corrected_2 = kept.corrected_2 + excluded.corrected_2,
        corrected_3 = kept.corrected_3 + excluded.corrected_3,
        corrected_4 = kept.corrected_4 + excluded.corrected_4,
        corrected_5 = kept.corrected_5 + excluded.corrected_5,
        escalations = kept.escalations + excluded.escalations, turns_sum = kept.turns_sum + excluded.turns_sum,
        turns_n = kept.turns_n + excluded.turns_n,
        system_error_failures = kept.system_error_failures + excluded.system_error_failures,
        corrections_squares = kept.corrections_squares + excluded.corrections_squares,
        turns_squares = kept.turns_squares + excluded.turns_squares;
    IF went IS NOT NULL THEN
        DELETE FROM outcome_rollup
        USING unnest(went) AS gone, (VALUES (CAST(3600 AS BIGINT)), (86400)) AS grains (grain)
        WHERE outcome_rollup.org_id = gone.org_id AND outcome_rollup.grain = grains.grain
            AND outcome_rollup.start = gone.created_at - ((gone.created_at % grains.grain) + grains.grain) % grains.grain
            AND outcome_rollup.source = gone.source AND outcome_rollup.shard = gone.shard AND outcome_rollup.n = 0;
        DELETE FROM cited_outcomes USING unnest(went) AS gone
        WHERE cited_outcomes.org_id = gone.org_id AND cited_outcomes.user_id = gone.user_id
            AND cited_outcomes.session_id = gone.session_id;
    END IF;
    IF came IS NOT NULL THEN
        INSERT INTO cited_outcomes (org_id, user_id, session_id, kind, rule_id, source, created_at, is_success,
            title, titled_at, titled_by)
        SELECT o.org_id, o.user_id, o.session_id, c.kind, c.rule_id, o.source, o.created_at, o.is_success,
            c.title, c.cited_at, c.interaction_id
        FROM unnest(came) AS o JOIN session_citations AS c USING (org_id, user_id, session_id);
    END IF;
    RETURN NULL;
END;
$$;

UPDATE outcome_rollup SET (corrections_squares, turns_squares) = (
    SELECT coalesce(sum(c.corrections_squares), 0), coalesce(sum(c.turns_squares), 0) FROM outcome_counts AS c
    WHERE c.org_id = outcome_rollup.org_id AND c.source = outcome_rollup.source AND c.shard = outcome_rollup.shard
        AND c.created_at BETWEEN outcome_rollup.start AND outcome_rollup.start + outcome_rollup.grain - 1);

-- Under which rubric and by which model a result was judged; null when it was judged elsewhere.
ALTER TABLE evaluation_results ADD COLUMN epoch_id BIGINT;
UPDATE evaluation_results SET epoch_id = (
    SELECT j.epoch_id FROM session_judgings AS j
    WHERE j.org_id = evaluation_results.org_id AND j.user_id = evaluation_results.user_id
        AND j.session_id = evaluation_results.session_id AND j.graded_at = evaluation_results.judged_at)
WHERE evaluation_name = 'agent_success';

-- What lists of results are filtered by.
CREATE INDEX evaluation_results_by_source ON evaluation_results (org_id, source, created_at, result_id);
CREATE INDEX evaluation_results_failed ON evaluation_results (org_id, created_at, result_id) WHERE NOT is_success;
CREATE INDEX evaluation_results_escalated ON evaluation_results (org_id, created_at, result_id) WHERE is_escalated;
