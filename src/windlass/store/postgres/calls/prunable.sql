-- Finished jobs of one queue and state that are older than :age, or beyond the newest :keep, the oldest first.
-- gives jobs as json
-- gives lost
WITH clock AS (
-- here clock
), beyond AS MATERIALIZED (
    SELECT finished_at, seq FROM windlass_finished WHERE state = :state AND queue = :queue
    ORDER BY finished_at DESC, seq DESC LIMIT 1 OFFSET CAST(:keep AS bigint)
), old AS MATERIALIZED (
    SELECT finished_at, seq FROM windlass_finished WHERE state = :state AND queue = :queue
    -- bounds the walk through the index; what follows is exact
    AND finished_at <= greatest(
        (SELECT now FROM clock) - CAST(:age AS bigint) - 1, coalesce((SELECT finished_at FROM beyond), 0))
    AND (finished_at < (SELECT now FROM clock) - CAST(:age AS bigint)
        OR (finished_at, seq) <= (SELECT finished_at, seq FROM beyond))
    ORDER BY finished_at, seq LIMIT CAST(:limit AS bigint)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(
            job.seq, job.id, job.task, job.queue, job.state, job.reason, job.priority, job.payload, job.meta,
            job.attempt, job.max_attempts, job.crashes, job.rescues, job.run_at, job.created_at, job.promoted_at,
            job.claimed_at, job.started_at, job.finished_at, job.timeout, job.fence, job.lease, job.worker,
            job.cancel_requested_at, job.unique_key, job.progress, job.result, job.errors, job.retry, job.unknown_at
        ) ORDER BY old.finished_at, old.seq), '[]')
        FROM old
        CROSS JOIN LATERAL (SELECT * FROM windlass_record WHERE windlass_record.seq = old.seq LIMIT 1) AS job) AS jobs,
    -- Jobs whose rows somebody has deleted.
    (SELECT json_agg(json_build_array(old.seq, CAST(:queue AS text), CAST(:state AS text)) ORDER BY old.seq) FROM old
        WHERE (SELECT job.seq FROM windlass_job AS job WHERE job.seq = old.seq) IS NULL) AS lost
