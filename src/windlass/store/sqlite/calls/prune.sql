-- 1. prune
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

-- 2. event
-- The events of a job go with it.
-- :jobs rows (seq, fence, id, finished_at)
DELETE FROM windlass_event WHERE seq IN (SELECT {jobs.seq} FROM jsonb_each(:jobs))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_event.seq)

-- 3. key
-- So does its key.
-- :jobs rows (seq, fence, id, finished_at)
DELETE FROM windlass_key WHERE id IN (SELECT {jobs.id} FROM jsonb_each(:jobs))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = windlass_key.id)
