-- Copies finished jobs into the archive, by the ISO week in which they finished.
-- :weeks rows (seq, week)
-- gives archived
WITH wanted AS MATERIALIZED (
    SELECT CAST({weeks.seq} AS bigint) AS seq, ({weeks.week}) COLLATE "C" AS week
    FROM jsonb_array_elements(CAST(:weeks AS jsonb))
), copied AS (
    INSERT INTO windlass_archive (week, seq, id, job)
    -- Everything that is known of a job, under the names of JobRecord, and its steps, if it has any, as a list under the
    -- names of StepRecord.
    SELECT wanted.week, job.seq, job.id, CASE WHEN recorded.steps IS NULL THEN whole.text
        ELSE left(whole.text, -1) || ', "steps" : ' || recorded.steps || '}' END
    FROM wanted CROSS JOIN LATERAL (
        SELECT * FROM windlass_record WHERE windlass_record.seq = wanted.seq LIMIT 1) AS job CROSS JOIN LATERAL (
        SELECT CAST(json_build_object({job.JobRecord; keyed}) AS text) AS text) AS whole CROSS JOIN LATERAL (
        SELECT CAST(json_agg(json_build_object({step.StepRecord; keyed}) ORDER BY step.number) AS text) AS steps FROM (
            SELECT * FROM windlass_step WHERE windlass_step.seq = wanted.seq OFFSET 0) AS step) AS recorded
    WHERE job.state IN ('completed', 'failed', 'cancelled')
    -- By key, so that two who copy the same jobs wait for each other in one direction.
    ORDER BY wanted.week, job.seq
    ON CONFLICT DO NOTHING
    RETURNING seq
)
SELECT seq FROM copied
UNION ALL
SELECT there.seq FROM wanted CROSS JOIN LATERAL (
    SELECT archive.seq FROM windlass_archive AS archive
    WHERE archive.week = wanted.week AND archive.seq = wanted.seq LIMIT 1) AS there
