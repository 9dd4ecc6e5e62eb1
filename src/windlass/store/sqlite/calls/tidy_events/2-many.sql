-- The oldest events beyond a bound, :limit at a time.
-- gives many
DELETE FROM windlass_event WHERE number IN (
    SELECT number FROM windlass_event WHERE number <= (SELECT max(number) FROM windlass_event) - 1000000
    ORDER BY number LIMIT :limit)
RETURNING 1
