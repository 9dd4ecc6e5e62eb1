-- Those of many awaited jobs that are finished, and those that are not there at all (a null state).
-- gives jobs
SELECT wanted.id, job.state, job.reason, job.result, job.errors, job.task
FROM jsonb_array_elements_text(CAST(:ids AS jsonb)) AS wanted (id)
-- One look into the indexes for each, however many the planner expects.
LEFT JOIN LATERAL (
    SELECT job.seq, job.task, finished.state, finished.reason, finished.result,
        coalesce(finished.errors, job.errors) AS errors
    FROM windlass_job AS job LEFT JOIN windlass_finished AS finished ON finished.seq = job.seq
    WHERE job.id = wanted.id LIMIT 1) AS job ON true
WHERE job.seq IS NULL OR job.state IS NOT NULL
