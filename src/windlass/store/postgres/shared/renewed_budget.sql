-- A job that gets on has its budget of attempts anew, and has steps from now on. Needs held_run.
renewed AS (
    UPDATE windlass_running AS running SET attempt = 0, crashes = 0, rescues = 0
    WHERE running.seq = CAST(:seq AS bigint) AND EXISTS (SELECT 1 FROM held WHERE held.has_past)
), flagged AS (
    UPDATE windlass_job AS job SET has_steps = true
    WHERE job.seq = CAST(:seq AS bigint) AND job.has_steps IS NULL AND EXISTS (SELECT 1 FROM held)
)
