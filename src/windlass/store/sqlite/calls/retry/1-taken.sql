-- Jobs whose unique key another one holds now: they stay as they are and are reported.
-- gives taken
SELECT windlass_job.seq, windlass_key.id
FROM windlass_job JOIN windlass_key ON windlass_key.key = windlass_job.unique_key AND windlass_key.id <> windlass_job.id
WHERE windlass_job.seq IN (SELECT value FROM json_each(:seqs))
AND (expires_at IS NULL OR expires_at > :now)
AND EXISTS (
    SELECT 1 FROM windlass_job AS holder
    WHERE holder.id = windlass_key.id AND (windlass_key.until <> 'started' OR holder.fence = 0))
