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
    state = iif(coalesce(:at, :now + :delay) > :now, 'scheduled', 'pending')
WHERE seq = :seq AND state IN ('scheduled', 'pending', 'retrying')
RETURNING seq
