-- Running jobs that have run for :age milliseconds or longer, the longest first.
-- gives runs
WITH
-- here clock
, long AS MATERIALIZED (
    SELECT running.seq, running.worker, clock.now - coalesce(running.started_at, running.claimed_at) AS ran_for
    FROM windlass_running AS running, clock
    WHERE clock.now - coalesce(running.started_at, running.claimed_at) >= CAST(:age AS bigint)
    ORDER BY coalesce(running.started_at, running.claimed_at), running.seq LIMIT CAST(:limit AS bigint)
)
SELECT job.id, job.task, job.queue, long.worker, long.ran_for FROM long CROSS JOIN LATERAL (
    SELECT job.id, job.task, job.queue FROM windlass_job AS job WHERE job.seq = long.seq OFFSET 0) AS job
ORDER BY long.ran_for DESC, job.id
