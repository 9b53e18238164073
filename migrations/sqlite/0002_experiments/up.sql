CREATE TABLE experiments (
    sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL REFERENCES organizations (org_id),
    experiment_id TEXT NOT NULL,
    holdout_percentage DOUBLE NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE UNIQUE INDEX experiments_by_id ON experiments (org_id, experiment_id);
CREATE INDEX experiments_by_start ON experiments (org_id, started_at, sequence);
-- The referee of "at most one experiment runs at a time".
CREATE UNIQUE INDEX experiments_one_active ON experiments (org_id) WHERE ended_at IS NULL;
