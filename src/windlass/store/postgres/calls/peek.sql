-- The next jobs of one queue in the order in which they would be claimed; takes nothing.
-- gives jobs
SELECT job.seq, job.id, job.task, job.queue, job.state, job.reason, job.priority, job.payload, job.meta, job.attempt,
    job.max_attempts, job.crashes, job.rescues, job.run_at, job.created_at, job.promoted_at, job.claimed_at,
    job.started_at, job.finished_at, job.timeout, job.fence, job.lease, job.worker, job.cancel_requested_at,
    job.unique_key, job.progress, job.result, job.errors, job.retry, job.unknown_at
FROM (
    SELECT ready.seq, ready.priority, ready.since, ready.suspect FROM (VALUES (false), (true)) AS place (suspect) CROSS JOIN LATERAL (
        SELECT seq, priority, since, suspect FROM windlass_ready
        WHERE windlass_ready.queue = :queue AND windlass_ready.suspect = place.suspect
        ORDER BY priority DESC, since, seq LIMIT CAST(:limit AS bigint)) AS ready
    -- A suspect comes before the others of its priority.
    ORDER BY ready.priority DESC, ready.suspect DESC, ready.since, ready.seq LIMIT CAST(:limit AS bigint)) AS next
CROSS JOIN LATERAL (SELECT * FROM windlass_record WHERE windlass_record.seq = next.seq LIMIT 1) AS job
ORDER BY next.priority DESC, next.suspect DESC, next.since, next.seq
