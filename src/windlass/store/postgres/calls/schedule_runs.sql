-- The newest :limit rows of the ledger of fires of each of the schedules :names, the newest first, with the state of the
-- job that was made; none where there was no job, or it is gone.
-- gives runs
SELECT {ScheduleRun; schedule = fire.schedule; planned_at = fire.planned_at; outcome = fire.outcome; state = job.state}
FROM jsonb_array_elements_text(CAST(:names AS jsonb)) AS wanted (name) CROSS JOIN LATERAL (
    SELECT * FROM windlass_fire WHERE schedule = wanted.name ORDER BY planned_at DESC LIMIT CAST(:limit AS bigint)
) AS fire LEFT JOIN LATERAL (
    -- OFFSET 0 as in jobs_by_id: a plan that was made while the tables were empty probes an index for each job.
    SELECT state FROM windlass_record WHERE id = fire.job OFFSET 0) AS job ON true
ORDER BY fire.schedule, fire.planned_at DESC
