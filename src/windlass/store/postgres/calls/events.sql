-- The unusual in a job's life, in order.
-- gives events
SELECT {EventRecord} FROM windlass_event WHERE seq = CAST(:seq AS bigint) ORDER BY number
