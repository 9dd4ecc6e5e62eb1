-- A write under an old fence changed nothing; this says so on the job it was meant for.
-- :writes rows (seq, fence, what)
-- :worker whose writes they were
-- gives refused
WITH
-- here clock
, write AS MATERIALIZED (
    SELECT CAST({writes.seq} AS bigint) AS seq, CAST({writes.fence} AS bigint) AS fence, {writes.what} AS what, place
    FROM jsonb_array_elements(CAST(:writes AS jsonb)) WITH ORDINALITY AS item (value, place)
), there AS MATERIALIZED (
    -- OFFSET 0 as in cycle (full): a plan that was made while the tables were empty probes an index for each job.
    SELECT found.seq, found.fence FROM (SELECT DISTINCT write.seq FROM write) AS wanted CROSS JOIN LATERAL (
        SELECT seq, fence FROM windlass_record AS record WHERE record.seq = wanted.seq OFFSET 0) AS found
), noted AS (
    INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
    SELECT write.seq, clock.now, 'refused', CAST(:worker AS text), write.fence, json_build_object('write', write.what)
    FROM clock, write JOIN there ON there.seq = write.seq AND there.fence <> write.fence
    ORDER BY write.place
)
-- Those that were refused indeed. A job that still carries the fence was ended by an earlier try of the same write.
SELECT write.seq FROM write
WHERE NOT EXISTS (SELECT 1 FROM there WHERE there.seq = write.seq AND there.fence = write.fence)
