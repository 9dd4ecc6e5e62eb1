-- 1. old
-- Old events of jobs that are kept, :limit at a time.
-- gives old
DELETE FROM windlass_event WHERE number IN (
    SELECT number FROM windlass_event WHERE at < :now - 2592000000 ORDER BY at LIMIT :limit)
RETURNING 1

-- 2. many
-- The oldest events beyond a bound, :limit at a time.
-- gives many
DELETE FROM windlass_event WHERE number IN (
    SELECT number FROM windlass_event WHERE number <= (SELECT max(number) FROM windlass_event) - 1000000
    ORDER BY number LIMIT :limit)
RETURNING 1
