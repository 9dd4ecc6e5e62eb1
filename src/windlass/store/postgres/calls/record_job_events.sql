-- Records events of jobs that are still there.
-- :events rows (seq, fence, kind, detail)
-- :worker who saw it
WITH
-- here clock
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT job.seq, clock.now, {events.kind}, CAST(:worker AS text), CAST({events.fence} AS bigint), {events.detail}
FROM clock, jsonb_array_elements(CAST(:events AS jsonb)) WITH ORDINALITY AS noted (value, place)
JOIN windlass_job AS job ON job.seq = CAST({events.seq} AS bigint)
ORDER BY place
