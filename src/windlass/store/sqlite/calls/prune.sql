-- 1. beside
-- Those beside which there is something.
-- :jobs rows (seq, fence, id, finished_at) as old
-- binds beside
SELECT nullif(json_group_array(seq), '[]') FROM windlass_job
WHERE seq IN (SELECT {old.seq} FROM jsonb_each(:jobs) AS old) AND NOT (
    -- here is_plain (job = windlass_job)
)

-- 2. prune
-- Removes finished jobs that are still as they were seen: one that was retried meanwhile and has finished anew carries
-- another fence.
-- :jobs rows (seq, fence, id, finished_at) as old
-- gives pruned
DELETE FROM windlass_job WHERE seq IN (
    SELECT job.seq FROM jsonb_each(:jobs) AS old CROSS JOIN windlass_job AS job ON job.seq = {old.seq}
    WHERE job.fence = {old.fence} AND job.state = :state
    AND NOT EXISTS (
        -- here needed (seq = job.seq)
    ))
RETURNING seq

-- here delete_beside (jobs = beside)

-- 3. event
-- The events of a job go with it.
-- :jobs rows (seq, fence, id, finished_at)
DELETE FROM windlass_event WHERE seq IN (SELECT {jobs.seq} FROM jsonb_each(:jobs))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_event.seq)

-- 4. key
-- So does its key.
-- :jobs rows (seq, fence, id, finished_at)
DELETE FROM windlass_key WHERE id IN (SELECT {jobs.id} FROM jsonb_each(:jobs))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = windlass_key.id)
