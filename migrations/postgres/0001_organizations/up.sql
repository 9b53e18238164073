CREATE TABLE organizations (
    org_id TEXT NOT NULL PRIMARY KEY,
    profile TEXT NOT NULL,
    configuration TEXT,
    created_at BIGINT NOT NULL
);

-- Credentials of agents and people; of a token only its digest is kept.
CREATE TABLE credentials (
    org_id TEXT NOT NULL REFERENCES organizations (org_id),
    credential_id TEXT NOT NULL,
    token_digest TEXT NOT NULL,
    kind TEXT NOT NULL,
    may_govern BOOLEAN NOT NULL,
    parent_id TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT,
    PRIMARY KEY (org_id, credential_id)
);
CREATE UNIQUE INDEX credentials_by_digest ON credentials (org_id, token_digest);
CREATE INDEX credentials_by_parent ON credentials (org_id, parent_id);
