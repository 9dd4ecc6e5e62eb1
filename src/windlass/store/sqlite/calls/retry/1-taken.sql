-- Jobs that could be retried but for their unique key, which another one holds now: they stay as they are.
-- gives taken
SELECT windlass_job.seq, windlass_key.id
FROM windlass_job JOIN windlass_key ON windlass_key.key = windlass_job.unique_key AND windlass_key.id <> windlass_job.id
WHERE windlass_job.seq IN (SELECT value FROM jsonb_each(:seqs))
AND windlass_job.state IN (SELECT value FROM jsonb_each(:states))
AND (expires_at IS NULL OR expires_at > :now)
AND EXISTS (
    SELECT 1 FROM windlass_job AS holder
    WHERE holder.id = windlass_key.id AND (windlass_key.until <> 'started'
        OR (holder.state <> 'running' AND holder.attempt = 0 AND holder.started_at IS NULL)))
