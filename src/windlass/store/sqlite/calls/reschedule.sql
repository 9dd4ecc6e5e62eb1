-- Moves a job that waits to another time: a delay from the store's now, or an instant.
-- gives rescheduled
UPDATE windlass_job SET
    run_at = max(:now, coalesce(:at, :now + :delay)),
    state = iif(coalesce(:at, :now + :delay) > :now, 'scheduled', 'pending')
WHERE seq = :seq AND state IN ('scheduled', 'pending', 'retrying')
RETURNING seq
