-- Old events of jobs that are kept, :limit at a time.
-- gives old
DELETE FROM windlass_event WHERE number IN (
    SELECT number FROM windlass_event WHERE at < :now - 2592000000 ORDER BY at LIMIT :limit)
RETURNING 1
