-- Cached results are counted, and put in order, from their index alone: neither other keys nor the rows of these are read
-- for it. The last column is there so that SQLite prefers it to the index of all keys that expire.

DROP INDEX windlass_key_cached;
CREATE INDEX windlass_key_cached ON windlass_key (expires_at, key, bytes, cached_for)
WHERE cached_for IS NOT NULL AND expires_at IS NOT NULL;
