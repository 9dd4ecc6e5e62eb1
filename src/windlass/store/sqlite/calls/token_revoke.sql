-- Lets a token open nothing from now on; who was the first to revoke it stays.
-- gives revoked
UPDATE windlass_token SET revoked_at = coalesce(revoked_at, :now), revoked_by = coalesce(revoked_by, :by)
WHERE name = :name
RETURNING name
