-- Stores a token. One that was revoked or has expired gives its name to the new one; a valid one keeps it, unless it is
-- the same.
-- :ttl null for one that does not expire
-- :most how many tokens there may be
-- gives added
WITH
-- here clock
INSERT INTO windlass_token AS stored (name, digest, role, queues, created_at, created_by, expires_at)
SELECT CAST(:name AS text), CAST(:digest AS text), CAST(:role AS text), CAST(:queues AS text), clock.now,
    CAST(:by AS text), clock.now + CAST(:ttl AS bigint)
FROM clock
WHERE (SELECT count(*) FROM windlass_token) < CAST(:most AS bigint)
OR EXISTS (SELECT 1 FROM windlass_token AS taken WHERE taken.name = CAST(:name AS text))
ON CONFLICT (name) DO UPDATE SET
    digest = excluded.digest, role = excluded.role, queues = excluded.queues, created_at = excluded.created_at,
    created_by = excluded.created_by, expires_at = excluded.expires_at, used_at = NULL, revoked_at = NULL,
    revoked_by = NULL
WHERE stored.revoked_at IS NOT NULL OR stored.expires_at <= excluded.created_at OR stored.digest = excluded.digest
RETURNING stored.name
