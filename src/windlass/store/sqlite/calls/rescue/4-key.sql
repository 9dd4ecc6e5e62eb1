-- A job that rescue finished gives its unique key back, and so does one that has begun a run if the key was held until
-- then; 3-free has raised its fence by one.
-- :keys rows (key, seq, fence)
-- only with keys
DELETE FROM windlass_key WHERE until <> 'window' AND (key, id) IN (
    SELECT held.value ->> 0, windlass_job.id
    FROM jsonb_each(:keys) AS held JOIN windlass_job ON windlass_job.seq = held.value ->> 1
    JOIN windlass_key AS kept ON kept.key = held.value ->> 0
    WHERE windlass_job.fence = (held.value ->> 2) + 1 AND (
        windlass_job.state IN ('completed', 'failed', 'cancelled')
        OR (kept.until = 'started' AND (windlass_job.attempt > 0 OR windlass_job.started_at IS NOT NULL))))
