-- A finished job gives its unique key back, unless the key is held for a window of time; one that has begun a run gives
-- back what it held until then.
-- :keys rows (key, seq, fence), only of jobs that have one
-- only with keys
DELETE FROM windlass_key WHERE until <> 'window' AND (key, id) IN (
    SELECT held.value ->> 0, windlass_job.id
    FROM jsonb_each(:keys) AS held JOIN windlass_job ON windlass_job.seq = held.value ->> 1
    JOIN windlass_key AS kept ON kept.key = held.value ->> 0
    WHERE windlass_job.fence = held.value ->> 2 AND (
        windlass_job.state IN ('completed', 'failed', 'cancelled')
        OR (kept.until = 'started' AND (windlass_job.attempt > 0 OR windlass_job.started_at IS NOT NULL))))
