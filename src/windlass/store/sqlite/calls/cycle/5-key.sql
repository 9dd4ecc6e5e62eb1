-- A finished job gives its unique key back, unless the key is held for a window of time.
-- :keys rows (key, seq, fence), only of jobs that have one
-- only with keys
DELETE FROM windlass_key WHERE until <> 'window' AND (key, id) IN (
    SELECT held.value ->> 0, windlass_job.id
    FROM jsonb_each(:keys) AS held JOIN windlass_job ON windlass_job.seq = held.value ->> 1
    WHERE windlass_job.fence = held.value ->> 2 AND windlass_job.state IN ('completed', 'failed', 'cancelled'))
