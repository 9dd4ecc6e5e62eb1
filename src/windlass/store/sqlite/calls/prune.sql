-- 1. prune
-- Removes finished jobs that are still as they were seen: one that was retried meanwhile and has finished anew carries
-- another fence.
-- :jobs rows (seq, fence, id, finished_at)
-- gives pruned
DELETE FROM windlass_job WHERE seq IN (
    SELECT job.seq FROM jsonb_each(:jobs) AS old CROSS JOIN windlass_job AS job ON job.seq = old.value ->> 0
    WHERE job.fence = old.value ->> 1 AND job.state = :state)
RETURNING seq

-- 2. event
-- What is told of a job goes with it.
DELETE FROM windlass_event WHERE seq IN (SELECT value ->> 0 FROM jsonb_each(:jobs))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_event.seq)

-- 3. key
-- So does its key.
DELETE FROM windlass_key WHERE id IN (SELECT value ->> 2 FROM jsonb_each(:jobs))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = windlass_key.id)
