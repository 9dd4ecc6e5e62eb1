-- Writes down something unusual that a worker saw happen to jobs that are still there.
-- :notes rows (seq, fence, kind, detail)
-- :worker who saw it
WITH
-- here clock
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT job.seq, clock.now, {notes.kind}, CAST(:worker AS text), CAST({notes.fence} AS bigint), {notes.detail}
FROM clock, jsonb_array_elements(CAST(:notes AS jsonb)) WITH ORDINALITY AS noted (value, place)
JOIN windlass_job AS job ON job.seq = CAST({notes.seq} AS bigint)
ORDER BY place
