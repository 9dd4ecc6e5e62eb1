-- 1. held
-- The concurrency keys of jobs that expire is going to end, and that were to run next.
-- binds freed as rows
SELECT DISTINCT concurrency_key FROM windlass_job WHERE state = 'pending' AND promised = 1 AND seq IN (
    -- here late
)

-- 2. key
-- A job that expire is going to end gives its unique key back, unless the key is held for a window of time.
DELETE FROM windlass_key WHERE until <> 'window' AND (key, id) IN (
    SELECT unique_key, id FROM windlass_job WHERE seq IN (
        -- here late
    ))

-- 3. ended parents
-- What waits for these jobs is to be looked at.
UPDATE windlass_edge SET state = 0 WHERE state = 1 AND parent IN (
    -- here late
)

-- 4. expire
-- Ends jobs that have not started in time.
-- gives expired
UPDATE windlass_job SET state = 'cancelled', reason = 'expired', gate = NULL, promised = 0, finished_at = :now
WHERE seq IN (
    -- here late
)
RETURNING seq

-- 5. promote
-- Makes jobs pending whose time has come, the longest overdue first. They line up by the time at which they
-- were due. None while there may be more to expire: those may be due too.
-- gives promoted
UPDATE windlass_job SET state = 'pending', promoted_at = :now
WHERE seq IN (
    SELECT seq FROM windlass_job WHERE state IN ('scheduled', 'retrying') AND run_at <= :now ORDER BY run_at, seq
    LIMIT iif(changes() < :limit, :limit, 0))
RETURNING seq

-- 6. unblock
-- each freed (key)
-- here unblock

-- 7. opening
-- Whether a rate has a token for jobs that wait: `open_rates` follows.
-- gives opening
SELECT 1 FROM windlass_rate_gate WHERE opens_at IS NOT NULL AND opens_at <= :now LIMIT 1

-- 8. unsettled
-- What is to be looked at of the edges between jobs: nearly always nothing.
-- binds unsettled
-- here unsettled (limit = :limit)

-- here settle_edges
