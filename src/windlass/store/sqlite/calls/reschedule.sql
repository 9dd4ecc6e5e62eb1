-- 1. held
-- The concurrency keys of jobs that are to run next, which another job may hold then.
-- binds freed as rows
SELECT DISTINCT concurrency_key FROM windlass_job
WHERE seq IN (:seq) AND state = 'pending' AND promised = 1

-- 2. reschedule
-- Moves a job that waits to another time: a delay from the store's now, or an instant.
-- One that is ready already and may stay so
-- keeps its place.
-- gives rescheduled
UPDATE windlass_job SET
    run_at = CASE WHEN coalesce(:at, :now + :delay) > :now THEN coalesce(:at, :now + :delay)
        WHEN state = 'pending' THEN run_at ELSE :now END,
    -- the expiry counts from there, if it has not started yet
    start_by = CASE WHEN start_by IS NULL THEN NULL
        WHEN coalesce(:at, :now + :delay) > :now THEN coalesce(:at, :now + :delay) + expires
        WHEN state = 'pending' THEN start_by ELSE :now + expires END,
    state = iif(coalesce(:at, :now + :delay) > :now, 'scheduled', 'pending'),
    promised = iif(coalesce(:at, :now + :delay) > :now, 0, promised)
WHERE seq = :seq AND state IN ('scheduled', 'pending', 'retrying')
RETURNING seq

-- 3. unblock
-- each freed (key)
-- here unblock
