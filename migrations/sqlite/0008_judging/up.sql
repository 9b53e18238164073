-- Replays of the judge, the right to grade a session on demand, and what is known of a session's latest runs.

CREATE TABLE regeneration_jobs (
    job_number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    job_id TEXT NOT NULL,
    evaluation_name TEXT NOT NULL,
    from_ts BIGINT NOT NULL,
    to_ts BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'cancelled', 'failed')),
    total BIGINT NOT NULL,
    completed BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    total_candidates BIGINT NOT NULL,
    concurrency_limit BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    finished_at BIGINT
);
CREATE UNIQUE INDEX regeneration_jobs_by_id ON regeneration_jobs (org_id, job_id);
-- The referee: one live job for each organization.
CREATE UNIQUE INDEX regeneration_jobs_live ON regeneration_jobs (org_id) WHERE status IN ('queued', 'running');
CREATE INDEX regeneration_jobs_newest ON regeneration_jobs (org_id, started_at, job_number);

-- The first failures of each job, in the order of their numbers.
CREATE TABLE regeneration_failures (
    failure_number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    job_number BIGINT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX regeneration_failures_by_job ON regeneration_failures (org_id, job_number, failure_number);
CREATE INDEX regeneration_failures_by_user ON regeneration_failures (org_id, user_id, session_id);

-- Who grades a session on demand. The row stays, so that its fence only ever rises.
CREATE TABLE session_claims (
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    holder TEXT NOT NULL,
    fence BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, user_id, session_id)
);

-- The newest run that ended, and the newest that graded the session itself.
ALTER TABLE session_judgings ADD COLUMN concluded_generation BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session_judgings ADD COLUMN learning_status TEXT;
ALTER TABLE session_judgings ADD COLUMN graded_fingerprint TEXT;
ALTER TABLE session_judgings ADD COLUMN graded_at BIGINT;

ALTER TABLE shadow_verdicts ADD COLUMN input_tokens BIGINT;
ALTER TABLE shadow_verdicts ADD COLUMN output_tokens BIGINT;
ALTER TABLE shadow_verdicts ADD COLUMN latency_ms BIGINT;

-- When work was laid aside. The subject of a replayed session's work is the number of its job.
ALTER TABLE work_items ADD COLUMN failed_at BIGINT;
CREATE INDEX work_items_of_jobs ON work_items (org_id, subject, state) WHERE kind = 'regeneration_session';
