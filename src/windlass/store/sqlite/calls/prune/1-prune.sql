-- Removes finished jobs that are still as they were seen: one that was retried meanwhile and has finished anew carries
-- another fence.
-- :jobs rows (seq, fence, id, finished_at)
-- gives pruned
DELETE FROM windlass_job WHERE seq IN (
    SELECT job.seq FROM jsonb_each(:jobs) AS old CROSS JOIN windlass_job AS job ON job.seq = old.value ->> 0
    WHERE job.fence = old.value ->> 1 AND job.state = :state)
RETURNING seq
