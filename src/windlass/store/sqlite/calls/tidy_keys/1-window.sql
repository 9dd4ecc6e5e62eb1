-- Keys whose window is over, :limit at a time.
-- gives over
DELETE FROM windlass_key WHERE key IN (
    SELECT key FROM windlass_key WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit)
RETURNING 1
