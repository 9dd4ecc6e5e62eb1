-- Tokens of the HTTP API, and the record of who changed what. Of a token only a digest is stored. Releases that know
-- fewer steps go on.
-- compatible from 1

CREATE TABLE windlass_token (
    name text COLLATE "C" PRIMARY KEY,
    digest text COLLATE "C" NOT NULL,
    role text NOT NULL,
    -- JSON list; null for all queues
    queues text,
    created_at bigint NOT NULL,
    created_by text NOT NULL,
    expires_at bigint,
    used_at bigint,
    revoked_at bigint,
    revoked_by text
);
CREATE UNIQUE INDEX token_digest ON windlass_token (digest);

CREATE TABLE windlass_audit (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at bigint NOT NULL,
    who text NOT NULL,
    via text NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    count bigint NOT NULL
);
CREATE INDEX audit_at ON windlass_audit (at);
