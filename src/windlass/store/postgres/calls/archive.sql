-- Copies finished jobs into the archive, by the ISO week in which they finished.
-- :weeks rows (seq, week)
-- gives archived
WITH wanted AS MATERIALIZED (
    SELECT CAST({weeks.seq} AS bigint) AS seq, ({weeks.week}) COLLATE "C" AS week
    FROM jsonb_array_elements(CAST(:weeks AS jsonb))
), copied AS (
    INSERT INTO windlass_archive (week, seq, id, job)
    -- Everything that is known of a job, under the names of JobRecord.
    SELECT wanted.week, job.seq, job.id, json_build_object({job.JobRecord; keyed})
    FROM wanted CROSS JOIN LATERAL (
        SELECT * FROM windlass_record WHERE windlass_record.seq = wanted.seq LIMIT 1) AS job
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
