-- Subjects that nothing may be written for any more. A row is never removed and never goes back.
CREATE TABLE subject_barriers (
    org_id TEXT NOT NULL REFERENCES organizations (org_id),
    subject_ref TEXT NOT NULL,
    purge_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('erasing', 'erased')),
    raised_at BIGINT NOT NULL,
    erased_at BIGINT,
    PRIMARY KEY (org_id, subject_ref)
);
