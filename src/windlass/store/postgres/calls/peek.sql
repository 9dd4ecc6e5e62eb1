-- The next jobs of one queue in the order in which they would be claimed; takes nothing.
-- gives jobs
SELECT job.seq, job.id, job.task, job.queue, job.state, job.reason, job.priority, job.payload, job.meta, job.attempt,
    job.max_attempts, job.crashes, job.rescues, job.run_at, job.created_at, job.promoted_at, job.claimed_at,
    job.started_at, job.finished_at, job.timeout, job.fence, job.lease, job.worker, job.cancel_requested_at,
    job.unique_key, job.progress, job.result, job.errors, job.retry, job.unknown_at
FROM (
    SELECT seq, priority, since FROM windlass_ready WHERE queue = :queue
    ORDER BY priority DESC, since, seq LIMIT CAST(:limit AS bigint)) AS next
CROSS JOIN LATERAL (SELECT * FROM windlass_record WHERE windlass_record.seq = next.seq LIMIT 1) AS job
ORDER BY next.priority DESC, next.since, next.seq
