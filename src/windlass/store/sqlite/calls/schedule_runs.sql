-- The newest :limit rows of the ledger of fires of each of the schedules :names, the newest first, with the state of the
-- job that was made; none where there was no job, or it is gone.
-- gives runs
SELECT {ScheduleRun; schedule = fire.schedule; planned_at = fire.planned_at; outcome = fire.outcome; state = job.state}
FROM jsonb_each(:names) AS wanted
CROSS JOIN windlass_fire AS fire ON fire.schedule = wanted.value AND fire.planned_at IN (
    SELECT planned_at FROM windlass_fire WHERE schedule = wanted.value ORDER BY planned_at DESC LIMIT :limit)
LEFT JOIN windlass_job AS job ON job.id = fire.job
ORDER BY fire.schedule, fire.planned_at DESC
