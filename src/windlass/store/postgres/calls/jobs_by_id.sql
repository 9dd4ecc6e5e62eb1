-- Jobs by id.
-- gives jobs
SELECT {JobRecord}
FROM jsonb_array_elements_text(CAST(:ids AS jsonb)) AS wanted (key) CROSS JOIN LATERAL (
    -- OFFSET 0 as in cycle (full): a plan that was made while the tables were empty probes an index for each job.
    SELECT * FROM windlass_record WHERE id = wanted.key OFFSET 0) AS found
