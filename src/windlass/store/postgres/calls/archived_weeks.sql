-- Those of the given ISO weeks that have jobs in the archive.
-- gives weeks
SELECT wanted.week FROM jsonb_array_elements_text(CAST(:weeks AS jsonb)) AS wanted (week) CROSS JOIN LATERAL (
    -- In the order of the index: else the planner might read the table until it meets the week.
    SELECT 1 FROM windlass_archive AS archive WHERE archive.week = wanted.week COLLATE "C"
    ORDER BY archive.week, archive.seq LIMIT 1) AS there
