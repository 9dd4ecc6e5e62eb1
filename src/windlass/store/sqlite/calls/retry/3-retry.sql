-- Runs jobs again by hand, with a fresh budget of attempts; their history of errors stays. The key is not taken again.
-- :states are those that both the caller and the table of transitions allow
-- gives retried
UPDATE windlass_job SET
    state = 'pending', reason = NULL, queue = coalesce(:queue, queue), attempt = 0, crashes = 0, rescues = 0,
    run_at = :now, finished_at = NULL, cancel_requested_at = NULL, unknown_at = NULL, result = NULL, progress = NULL
WHERE seq IN (SELECT value FROM jsonb_each(:seqs)) AND state IN (SELECT value FROM jsonb_each(:states))
AND NOT EXISTS (
    SELECT 1 FROM windlass_key JOIN windlass_job AS holder ON holder.id = windlass_key.id
    WHERE windlass_key.key = windlass_job.unique_key AND holder.id <> windlass_job.id
    AND (expires_at IS NULL OR expires_at > :now)
    AND (until <> 'started' OR (holder.state <> 'running' AND holder.attempt = 0 AND holder.started_at IS NULL)))
RETURNING seq
