-- Stores a token. One that was revoked or has expired gives its name to the new one; a valid one keeps it, unless it is
-- the same.
-- :ttl null for one that does not expire
-- :most how many tokens there may be
-- gives added
INSERT INTO windlass_token (name, digest, role, queues, created_at, created_by, expires_at)
SELECT :name, :digest, :role, :queues, :now, :by, :now + :ttl
WHERE (SELECT count(*) FROM windlass_token) < :most OR EXISTS (SELECT 1 FROM windlass_token WHERE name = :name)
ON CONFLICT (name) DO UPDATE SET
    digest = excluded.digest, role = excluded.role, queues = excluded.queues, created_at = excluded.created_at,
    created_by = excluded.created_by, expires_at = excluded.expires_at, used_at = NULL, revoked_at = NULL,
    revoked_by = NULL
WHERE windlass_token.revoked_at IS NOT NULL OR windlass_token.expires_at <= :now OR windlass_token.digest = excluded.digest
RETURNING name
