-- Lets a token open nothing from now on; who was the first to revoke it stays.
-- gives revoked
WITH
-- here clock
UPDATE windlass_token AS stored
SET revoked_at = coalesce(stored.revoked_at, clock.now), revoked_by = coalesce(stored.revoked_by, CAST(:by AS text))
FROM clock WHERE stored.name = CAST(:name AS text)
RETURNING stored.name
