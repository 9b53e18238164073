-- What tells apart the secrets that references were made with; nothing about a secret can be learned from it.
-- not by organization: a server has one key ring for all of them.
CREATE TABLE reference_keys (
    key_check TEXT NOT NULL PRIMARY KEY,
    first_used_at BIGINT NOT NULL
);
