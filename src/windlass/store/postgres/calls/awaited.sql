-- Those of many awaited jobs that are finished, and those that are not there at all (a null state); the first of them,
-- if their texts have :bytes or more.
-- gives jobs
SELECT {FinishedJob} FROM (
    SELECT {job.FinishedJob; id = wanted.id},
        coalesce(sum(job.size) OVER (ORDER BY wanted.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
    FROM jsonb_array_elements_text(CAST(:ids AS jsonb)) WITH ORDINALITY AS wanted (id, place)
    -- One look into the indexes for each, however many the planner expects.
    LEFT JOIN LATERAL (
        SELECT job.seq, job.task, finished.state, finished.reason, finished.result,
            coalesce(finished.errors, job.errors) AS errors,
            coalesce(octet_length(finished.result), 0)
                + coalesce(octet_length(finished.errors), octet_length(job.errors), 0) AS size
        FROM windlass_job AS job LEFT JOIN windlass_finished AS finished ON finished.seq = job.seq
        WHERE job.id = wanted.id LIMIT 1) AS job ON true
    WHERE job.seq IS NULL OR job.state IS NOT NULL
) AS settled WHERE before < CAST(:bytes AS bigint)
