-- The unique keys that they hold.
-- :keys rows (key, id, until, expires_at)
-- only with keys
INSERT INTO windlass_key (key, id, until, expires_at)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM jsonb_each(:keys) WHERE true
ON CONFLICT DO NOTHING
