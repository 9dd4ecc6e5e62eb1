-- Cached results are counted, and put in order, from their index alone: neither other keys nor the rows of these are read
-- for it.
-- compatible from 1

DROP INDEX windlass_key_cached;
CREATE INDEX key_cached ON windlass_key (expires_at) INCLUDE (key, bytes)
WHERE cached_for IS NOT NULL AND expires_at IS NOT NULL;
