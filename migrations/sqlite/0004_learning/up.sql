-- What agents publish and what was learned from it. Every row that belongs to a user names the user, so that an erasure
-- finds it without going through another table. The tables that every publish writes do not reference organizations: a
-- writer has been let in as one, no organization is ever removed, and on PostgreSQL the check would make all publishers
-- of an organization lock its one row.

CREATE TABLE requests (
    org_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    source TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    evaluation_only BOOLEAN NOT NULL,
    experiment_id TEXT,
    experiment_arm TEXT CHECK (experiment_arm IN ('treatment', 'holdout')),
    body_digest TEXT NOT NULL,
    PRIMARY KEY (org_id, request_id),
    CHECK ((experiment_id IS NULL) = (experiment_arm IS NULL))
);
CREATE INDEX requests_newest ON requests (org_id, created_at, request_id);
CREATE INDEX requests_by_user ON requests (org_id, user_id, created_at, request_id);
CREATE INDEX requests_by_session ON requests (org_id, session_id, user_id, created_at, request_id);
CREATE INDEX requests_by_experiment
    ON requests (org_id, experiment_id, user_id, session_id, created_at, request_id, experiment_arm)
    WHERE experiment_id IS NOT NULL;

-- The first and the last request of each session by (time, request id), whatever the order in which they arrived.
-- `source` is the first request's, `agent_version` the last one's.
CREATE TABLE sessions (
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    first_request_at BIGINT NOT NULL,
    first_request_id TEXT NOT NULL,
    source TEXT NOT NULL,
    last_request_at BIGINT NOT NULL,
    last_request_id TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    PRIMARY KEY (org_id, user_id, session_id)
);
CREATE INDEX sessions_by_id ON sessions (org_id, session_id, user_id);
CREATE INDEX sessions_newest ON sessions (org_id, first_request_at, user_id, session_id);

-- The turns of requests. The lists are JSON as they were published, `[]` when there is nothing in them.
CREATE TABLE interactions (
    interaction_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    role TEXT NOT NULL,
    is_user BOOLEAN NOT NULL,
    is_agent BOOLEAN NOT NULL,
    content TEXT NOT NULL,
    shadow_content TEXT NOT NULL,
    expert_content TEXT NOT NULL,
    user_action TEXT NOT NULL,
    user_action_description TEXT NOT NULL,
    interacted_image_url TEXT NOT NULL,
    tools_used TEXT NOT NULL,
    citations TEXT NOT NULL,
    retrieved_learnings TEXT NOT NULL,
    output_tokens BIGINT
);
-- With what sums of tokens need, so that they read the index alone.
CREATE INDEX interactions_by_request ON interactions (org_id, request_id, position, is_user, output_tokens);
CREATE INDEX interactions_newest ON interactions (org_id, created_at, interaction_id);
CREATE INDEX interactions_by_user ON interactions (org_id, user_id, created_at, interaction_id);
CREATE INDEX interactions_by_session ON interactions (org_id, session_id, user_id, interaction_id);

-- The rules that a session cited, each once, under the newest title that is not empty.
CREATE TABLE session_citations (
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    rule_id TEXT NOT NULL,
    title TEXT NOT NULL,
    interaction_id BIGINT NOT NULL,
    cited_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, user_id, session_id, kind, rule_id)
);
CREATE INDEX session_citations_by_rule ON session_citations (org_id, kind, rule_id, user_id, session_id);

-- The learnings that were put before the agent, each once for each turn.
CREATE TABLE retrieved_learnings (
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    interaction_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    learning_id TEXT NOT NULL,
    PRIMARY KEY (org_id, user_id, session_id, interaction_id, kind, learning_id)
);

-- The learning feed. Readers see `sequence`: here one writer writes at a time, so rows are numbered as they are committed.
CREATE TABLE feed_entries (
    entry_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    sequence BIGINT GENERATED ALWAYS AS (entry_id) VIRTUAL,
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    request_id TEXT NOT NULL
);
CREATE UNIQUE INDEX feed_entries_in_order ON feed_entries (org_id, sequence);
CREATE INDEX feed_entries_by_user ON feed_entries (org_id, user_id, session_id);

-- What is to be done later, durably. An item may be taken when it is `waiting`, due, and no live lease is on it. Whatever
-- makes an item due again raises `revision`: who finishes it must have seen the latest one.
CREATE TABLE work_items (
    work_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    -- The interaction that the work is about; 0 when it is about the session.
    subject BIGINT NOT NULL DEFAULT 0,
    due_at BIGINT NOT NULL DEFAULT (unixepoch()),
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'failed')),
    revision BIGINT NOT NULL DEFAULT 1,
    attempts INTEGER NOT NULL DEFAULT 0,
    lease_holder TEXT,
    lease_fence BIGINT NOT NULL DEFAULT 0,
    lease_expires_at BIGINT,
    last_error TEXT,
    created_at BIGINT NOT NULL DEFAULT (unixepoch())
);
CREATE UNIQUE INDEX work_items_by_subject ON work_items (org_id, user_id, session_id, kind, subject);
-- not by organization: the worker looks for what is due in all of them
CREATE INDEX work_items_due ON work_items (due_at, work_id) WHERE state = 'waiting';

CREATE TABLE profiles (
    profile_key INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL REFERENCES organizations (org_id),
    profile_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    content TEXT NOT NULL,
    source TEXT NOT NULL,
    generated_from_request_id TEXT NOT NULL,
    time_to_live TEXT NOT NULL,
    tags TEXT NOT NULL,
    last_modified_timestamp BIGINT NOT NULL,
    expiration_timestamp BIGINT,
    status TEXT NOT NULL CHECK (status IN ('current', 'pending', 'archived'))
);
CREATE UNIQUE INDEX profiles_by_id ON profiles (org_id, profile_id);
CREATE INDEX profiles_newest ON profiles (org_id, last_modified_timestamp, profile_id);
CREATE INDEX profiles_by_user ON profiles (org_id, user_id, last_modified_timestamp, profile_id);

CREATE TABLE user_playbooks (
    user_playbook_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL REFERENCES organizations (org_id),
    user_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    playbook_name TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    content TEXT NOT NULL,
    trigger TEXT NOT NULL,
    rationale TEXT NOT NULL,
    structured_data TEXT,
    tags TEXT NOT NULL,
    source TEXT NOT NULL,
    source_interaction_ids TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('current', 'pending', 'archived'))
);
CREATE INDEX user_playbooks_newest ON user_playbooks (org_id, created_at, user_playbook_id);
CREATE INDEX user_playbooks_by_user ON user_playbooks (org_id, user_id, created_at, user_playbook_id);

CREATE TABLE agent_playbooks (
    agent_playbook_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL REFERENCES organizations (org_id),
    playbook_name TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    content TEXT NOT NULL,
    trigger TEXT NOT NULL,
    rationale TEXT NOT NULL,
    structured_data TEXT,
    tags TEXT NOT NULL,
    playbook_status TEXT NOT NULL CHECK (playbook_status IN ('pending', 'approved', 'rejected')),
    metadata TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('current', 'pending', 'archived'))
);
CREATE INDEX agent_playbooks_newest ON agent_playbooks (org_id, created_at, agent_playbook_id);

-- The user playbooks that an agent playbook was distilled from, in the order stated. `user_id` is the user playbook's.
CREATE TABLE playbook_source_links (
    org_id TEXT NOT NULL REFERENCES organizations (org_id),
    agent_playbook_id BIGINT NOT NULL,
    position INTEGER NOT NULL,
    user_playbook_id BIGINT NOT NULL,
    user_id TEXT NOT NULL,
    source_interaction_ids TEXT NOT NULL,
    PRIMARY KEY (org_id, agent_playbook_id, position)
);
CREATE INDEX playbook_source_links_by_user ON playbook_source_links (org_id, user_id, agent_playbook_id);
CREATE INDEX playbook_source_links_by_playbook ON playbook_source_links (org_id, user_playbook_id);

-- The words of learnings as searches look for them: each carries the mark of the organization (and user) that may find it,
-- so that a search touches nothing of the others however large they are. They go when their learning goes.
CREATE TABLE profile_words (
    profile_key INTEGER NOT NULL PRIMARY KEY REFERENCES profiles (profile_key) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    words TEXT NOT NULL
);
CREATE INDEX profile_words_by_user ON profile_words (org_id, user_id);

CREATE TABLE user_playbook_words (
    user_playbook_id INTEGER NOT NULL PRIMARY KEY REFERENCES user_playbooks (user_playbook_id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    words TEXT NOT NULL
);
CREATE INDEX user_playbook_words_by_user ON user_playbook_words (org_id, user_id);

CREATE TABLE agent_playbook_words (
    agent_playbook_id INTEGER NOT NULL PRIMARY KEY REFERENCES agent_playbooks (agent_playbook_id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    words TEXT NOT NULL
);

-- not by organization: every word carries the mark of its own
CREATE VIRTUAL TABLE profile_index USING fts5 (
    words,
    content = 'profile_words',
    content_rowid = 'profile_key',
    tokenize = "porter unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
-- What is deleted leaves the index at once, not at some later merge.
INSERT INTO profile_index (profile_index, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER profile_words_added AFTER INSERT ON profile_words BEGIN
    INSERT INTO profile_index (rowid, words) VALUES (new.profile_key, new.words);
END;
CREATE TRIGGER profile_words_removed AFTER DELETE ON profile_words BEGIN
    INSERT INTO profile_index (profile_index, rowid, words) VALUES ('delete', old.profile_key, old.words);
END;
CREATE TRIGGER profile_words_changed AFTER UPDATE OF words ON profile_words BEGIN
    INSERT INTO profile_index (profile_index, rowid, words) VALUES ('delete', old.profile_key, old.words);
    INSERT INTO profile_index (rowid, words) VALUES (new.profile_key, new.words);
END;

-- not by organization: every word carries the mark of its own
CREATE VIRTUAL TABLE user_playbook_index USING fts5 (
    words,
    content = 'user_playbook_words',
    content_rowid = 'user_playbook_id',
    tokenize = "porter unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
-- What is deleted leaves the index at once, not at some later merge.
INSERT INTO user_playbook_index (user_playbook_index, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER user_playbook_words_added AFTER INSERT ON user_playbook_words BEGIN
    INSERT INTO user_playbook_index (rowid, words) VALUES (new.user_playbook_id, new.words);
END;
CREATE TRIGGER user_playbook_words_removed AFTER DELETE ON user_playbook_words BEGIN
    INSERT INTO user_playbook_index (user_playbook_index, rowid, words) VALUES ('delete', old.user_playbook_id, old.words);
END;
CREATE TRIGGER user_playbook_words_changed AFTER UPDATE OF words ON user_playbook_words BEGIN
    INSERT INTO user_playbook_index (user_playbook_index, rowid, words) VALUES ('delete', old.user_playbook_id, old.words);
    INSERT INTO user_playbook_index (rowid, words) VALUES (new.user_playbook_id, new.words);
END;

-- not by organization: every word carries the mark of its own
CREATE VIRTUAL TABLE agent_playbook_index USING fts5 (
    words,
    content = 'agent_playbook_words',
    content_rowid = 'agent_playbook_id',
    tokenize = "porter unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
-- What is deleted leaves the index at once, not at some later merge.
INSERT INTO agent_playbook_index (agent_playbook_index, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER agent_playbook_words_added AFTER INSERT ON agent_playbook_words BEGIN
    INSERT INTO agent_playbook_index (rowid, words) VALUES (new.agent_playbook_id, new.words);
END;
CREATE TRIGGER agent_playbook_words_removed AFTER DELETE ON agent_playbook_words BEGIN
    INSERT INTO agent_playbook_index (agent_playbook_index, rowid, words) VALUES ('delete', old.agent_playbook_id, old.words);
END;
CREATE TRIGGER agent_playbook_words_changed AFTER UPDATE OF words ON agent_playbook_words BEGIN
    INSERT INTO agent_playbook_index (agent_playbook_index, rowid, words) VALUES ('delete', old.agent_playbook_id, old.words);
    INSERT INTO agent_playbook_index (rowid, words) VALUES (new.agent_playbook_id, new.words);
END;
