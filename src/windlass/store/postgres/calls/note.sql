-- Writes down something unusual that a worker saw happen to jobs that are still there.
-- :notes rows (seq, fence, kind, detail)
-- :worker who saw it
WITH clock AS (
-- here clock
)
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT job.seq, clock.now, value ->> 2, CAST(:worker AS text), CAST(value ->> 1 AS bigint), value ->> 3
FROM clock, jsonb_array_elements(CAST(:notes AS jsonb)) WITH ORDINALITY AS noted (value, place)
JOIN windlass_job AS job ON job.seq = CAST(value ->> 0 AS bigint)
ORDER BY place
