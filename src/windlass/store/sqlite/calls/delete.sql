-- 1. held
-- The concurrency keys of jobs that are to run next, which another job may hold then.
-- binds freed as rows
SELECT DISTINCT concurrency_key FROM windlass_job
WHERE seq IN (SELECT value FROM jsonb_each(:seqs)) AND state = 'pending' AND promised = 1

-- 2. beside
-- Those beside which there is something.
-- binds beside
SELECT nullif(json_group_array(seq), '[]') FROM windlass_job
WHERE seq IN (SELECT value FROM jsonb_each(:seqs)) AND NOT (
    -- here is_plain (job = windlass_job)
)

-- 3. delete
-- Removes jobs that do not run; one that runs is its owner's.
-- :states are those that both the caller and the table of transitions allow
-- gives deleted
DELETE FROM windlass_job
WHERE seq IN (SELECT value FROM jsonb_each(:seqs)) AND state IN (SELECT value FROM jsonb_each(:states))
RETURNING seq

-- here delete_beside (jobs = beside)

-- 4. event
-- The events of a job go with it.
DELETE FROM windlass_event WHERE seq IN (SELECT value FROM jsonb_each(:seqs))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_event.seq)

-- 5. key
-- So does its key.
-- :ids are the ids of :seqs
DELETE FROM windlass_key WHERE id IN (SELECT value FROM jsonb_each(:ids))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = windlass_key.id)

-- 6. unblock
-- each freed (key)
-- here unblock

-- 7. unsettled
-- What is to be looked at of the edges between jobs: nearly always nothing.
-- binds unsettled
-- here unsettled (limit = 500)

-- here settle_edges
