-- Tokens of the HTTP API, and the record of who changed what. Of a token only a digest is stored.

CREATE TABLE windlass_token (
    name TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    role TEXT NOT NULL,
    -- JSON list; null for all queues
    queues TEXT,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER,
    used_at INTEGER,
    revoked_at INTEGER,
    revoked_by TEXT
) STRICT;
CREATE UNIQUE INDEX windlass_token_digest ON windlass_token (digest);

CREATE TABLE windlass_audit (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    who TEXT NOT NULL,
    via TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    count INTEGER NOT NULL
) STRICT;
CREATE INDEX windlass_audit_at ON windlass_audit (at);
