-- Ends runs that returned, which is most of them, so it carries no more than they need. Only the owner whose fence the
-- job still carries may end it, and only while it runs; for every other row nothing happens.
-- :completed rows (seq, fence, ran_for, result)
-- only with completed
UPDATE windlass_job SET
    state = 'completed',
    reason = NULL,
    attempt = attempt + 1,
    started_at = coalesce(started_at, :now - (run.value ->> 2)),
    finished_at = :now,
    unknown_at = NULL,
    result = run.value ->> 3,
    lease = NULL,
    claim = NULL
FROM jsonb_each(:completed) AS run
WHERE windlass_job.seq = run.value ->> 0 AND windlass_job.fence = run.value ->> 1 AND windlass_job.state = 'running'
