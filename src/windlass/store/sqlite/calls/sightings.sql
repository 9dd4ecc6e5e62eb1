-- 1. jobs
-- Jobs that were made after :after, run, have ended since :since, or are :watched, without their texts; of those that
-- were made the newest :most, of those that ended the newest :most_ended of each queue and state. Each part goes by an
-- index.
-- gives jobs
WITH seen (part, seq) AS (
    SELECT 'created', seq FROM (
        SELECT seq FROM windlass_job WHERE seq > :after ORDER BY seq DESC LIMIT :most)
    UNION ALL
    SELECT 'running', seq FROM (
        SELECT seq FROM windlass_job WHERE state = 'running' AND lease > '' LIMIT :most_running)
    UNION ALL
    SELECT 'ended', job.seq
    FROM windlass_queue AS queue
    CROSS JOIN (SELECT 'completed' AS state UNION ALL SELECT 'failed' UNION ALL SELECT 'cancelled') AS ended
    CROSS JOIN windlass_job AS job ON job.seq IN (
        SELECT seq FROM windlass_job AS one
        WHERE
            -- here is_finished (job = one)
        AND one.state = ended.state AND one.queue = queue.name
        AND one.finished_at >= :since
        ORDER BY one.finished_at DESC LIMIT :most_ended)
    UNION ALL
    SELECT 'watched', value FROM jsonb_each(:watched)
)
SELECT {Sighting; seq = job.seq} FROM seen CROSS JOIN windlass_job AS job ON job.seq = seen.seq

-- 2. clock
-- What time it is, and the newest job.
-- gives clock
SELECT :now, max(seq) FROM windlass_job
