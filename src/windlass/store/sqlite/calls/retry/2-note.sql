-- Says who retries what 3-retry is going to change (the same conditions).
INSERT INTO windlass_event (seq, at, kind, fence, detail)
SELECT seq, :now, 'retried', fence, json_object('by', :by, 'from', state, 'reason', reason)
FROM windlass_job
WHERE seq IN (SELECT value FROM jsonb_each(:seqs)) AND state IN (SELECT value FROM jsonb_each(:states))
AND NOT EXISTS (
    SELECT 1 FROM windlass_key JOIN windlass_job AS holder ON holder.id = windlass_key.id
    WHERE windlass_key.key = windlass_job.unique_key AND holder.id <> windlass_job.id
    AND (expires_at IS NULL OR expires_at > :now)
    AND (until <> 'started' OR (holder.state <> 'running' AND holder.attempt = 0 AND holder.started_at IS NULL)))
