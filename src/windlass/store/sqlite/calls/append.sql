-- 1. insert
-- Stores jobs under common terms, in the order of the call, into a queue that is there and has no limit.
-- :jobs rows (id, payload)
INSERT INTO windlass_job (id, payload, {JobTemplate; delay = run_at, state}, start_by, created_at)
SELECT {jobs.id}, {jobs.payload}, {:JobTemplate;
    delay = :now + max(0, :delay), iif(:delay > 0, 'scheduled', 'pending')},
    :now + max(0, :delay) + :expires, :now
FROM json_each(:jobs)
WHERE EXISTS (SELECT 1 FROM windlass_queue WHERE name = :queue AND max_length IS NULL)
-- An id that is there is that of an earlier try whose answer was lost.
ON CONFLICT (id) DO NOTHING

-- 2. stored
-- Whether anything was stored. No row: the caller falls back to `enqueue`.
-- gives stored
SELECT 1 WHERE changes() > 0
