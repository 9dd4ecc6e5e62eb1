-- The unique keys that jobs hold.
-- gives keys
SELECT windlass_key.key, windlass_key.id, until, expires_at
FROM jsonb_each(:ids) AS wanted JOIN windlass_key ON windlass_key.id = wanted.value
ORDER BY windlass_key.key
