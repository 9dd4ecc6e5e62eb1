-- For how many milliseconds the oldest ready job of each queue has been waiting. The first of each priority has waited
-- longest among its like: one step of the index for each priority of each queue, however many jobs they have.
-- gives oldest
WITH RECURSIVE
ready (queue, priority) AS (
    SELECT queue.name, (
        SELECT max(job.priority) FROM windlass_job AS job
        WHERE job.state = 'pending' AND job.crashes = 0 AND job.rescues = 0 AND job.queue = queue.name)
    FROM windlass_queue AS queue
    UNION ALL
    SELECT ready.queue, (
        SELECT max(job.priority) FROM windlass_job AS job
        WHERE job.state = 'pending' AND job.crashes = 0 AND job.rescues = 0 AND job.queue = ready.queue
        AND job.priority < ready.priority)
    FROM ready WHERE ready.priority IS NOT NULL
), suspect (queue, priority) AS (
    SELECT queue.name, (
        SELECT max(job.priority) FROM windlass_job AS job
        WHERE job.state = 'pending' AND job.crashes + job.rescues > 0 AND job.queue = queue.name)
    FROM windlass_queue AS queue
    UNION ALL
    SELECT suspect.queue, (
        SELECT max(job.priority) FROM windlass_job AS job
        WHERE job.state = 'pending' AND job.crashes + job.rescues > 0 AND job.queue = suspect.queue
        AND job.priority < suspect.priority)
    FROM suspect WHERE suspect.priority IS NOT NULL
), first (queue, since) AS (
    SELECT ready.queue, (
        SELECT min(job.run_at) FROM windlass_job AS job
        WHERE job.state = 'pending' AND job.crashes = 0 AND job.rescues = 0 AND job.queue = ready.queue
        AND job.priority = ready.priority)
    FROM ready WHERE ready.priority IS NOT NULL
    UNION ALL
    SELECT suspect.queue, (
        SELECT min(job.run_at) FROM windlass_job AS job
        WHERE job.state = 'pending' AND job.crashes + job.rescues > 0 AND job.queue = suspect.queue
        AND job.priority = suspect.priority)
    FROM suspect WHERE suspect.priority IS NOT NULL
)
SELECT queue, :now - min(since) FROM first GROUP BY queue
