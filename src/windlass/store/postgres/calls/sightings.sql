-- Jobs that were made after :after, run, have ended since :since, or are :watched, without their texts; of those that
-- were made the newest :most, of those that ended the newest :most_ended of each queue and state. Each part goes by an
-- index. And what time it is, and the newest job.
-- gives jobs
-- gives clock
WITH
-- here clock
, seen AS MATERIALIZED (
    (SELECT 'created' AS part, seq FROM windlass_job WHERE seq > CAST(:after AS bigint)
        ORDER BY seq DESC LIMIT CAST(:most AS bigint))
    UNION ALL
    (SELECT 'running', seq FROM windlass_running ORDER BY seq DESC LIMIT CAST(:most_running AS bigint))
    UNION ALL
    SELECT 'ended', ended.seq FROM windlass_queue AS queue
    CROSS JOIN (VALUES ('completed' COLLATE "C"), ('failed'), ('cancelled')) AS kind (state)
    CROSS JOIN LATERAL (
        SELECT finished.seq FROM windlass_finished AS finished
        WHERE finished.state = kind.state AND finished.queue = queue.name
        AND finished.finished_at >= CAST(:since AS bigint)
        ORDER BY finished.finished_at DESC, finished.seq DESC LIMIT CAST(:most_ended AS bigint)) AS ended
    UNION ALL
    SELECT 'watched', CAST(value AS bigint) FROM jsonb_array_elements_text(CAST(:watched AS jsonb)) AS watched (value)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({Sighting; part = seen.part; seq = seen.seq})), '[]')
        FROM seen CROSS JOIN LATERAL (
            -- OFFSET 0: a plan that was made while the tables were empty probes an index for each job.
            SELECT * FROM windlass_record WHERE windlass_record.seq = seen.seq OFFSET 0) AS job) AS jobs,
    (SELECT json_build_array(json_build_array(
            clock.now, (SELECT seq FROM windlass_job ORDER BY seq DESC LIMIT 1))) FROM clock) AS clock
