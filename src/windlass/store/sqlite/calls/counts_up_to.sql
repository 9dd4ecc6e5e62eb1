-- How many jobs stand in which state, by queue: of each state about :most are counted, as many of each queue and at least one.
-- The last column says whether there are more. No more jobs are read, however many there are. Those that run are as many as
-- workers have places for, and all are counted.
-- gives counts
WITH each (most) AS MATERIALIZED (
    SELECT max(1, :most / max(1, count(*))) FROM windlass_queue
), found (queue, state, number) AS MATERIALIZED ( -- or SQLite would count again wherever the number is named
    SELECT queue.name, 'pending', (
        SELECT count(*) FROM (
            SELECT 1 FROM windlass_job AS job
            WHERE job.state = 'pending' AND job.crashes = 0 AND job.rescues = 0 AND job.queue = queue.name
            LIMIT (SELECT most + 1 FROM each))
    ) + (
        SELECT count(*) FROM (
            SELECT 1 FROM windlass_job AS job
            WHERE job.state = 'pending' AND job.crashes + job.rescues > 0 AND job.queue = queue.name
            LIMIT (SELECT most + 1 FROM each)))
    FROM windlass_queue AS queue
    UNION ALL
    SELECT queue.name, waits.value, (
        SELECT count(*) FROM (
            SELECT 1 FROM windlass_job AS job
            WHERE
                -- here is_held_back (job = job)
            AND job.queue = queue.name AND job.state = waits.value
            LIMIT (SELECT most + 1 FROM each)))
    FROM windlass_queue AS queue, json_each('["scheduled", "retrying", "blocked"]') AS waits
    UNION ALL
    SELECT queue.name, ended.value, (
        SELECT count(*) FROM (
            SELECT 1 FROM windlass_job AS job
            WHERE
                -- here is_finished (job = job)
            AND job.state = ended.value AND job.queue = queue.name
            LIMIT (SELECT most + 1 FROM each)))
    FROM windlass_queue AS queue, json_each('["completed", "failed", "cancelled"]') AS ended
)
SELECT queue, state, min(number, most), number > most FROM found, each WHERE number > 0
UNION ALL
SELECT queue, 'running', count(*), 0 FROM windlass_job WHERE state = 'running' GROUP BY queue
