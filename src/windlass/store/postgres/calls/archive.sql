-- Copies finished jobs into the archive, by the ISO week in which they finished.
-- :weeks rows (seq, week)
-- gives archived
WITH wanted AS MATERIALIZED (
    SELECT CAST(value ->> 0 AS bigint) AS seq, (value ->> 1) COLLATE "C" AS week
    FROM jsonb_array_elements(CAST(:weeks AS jsonb))
), copied AS (
    INSERT INTO windlass_archive (week, seq, id, job)
    -- Everything that is known of a job, under the names of JobRecord.
    SELECT wanted.week, job.seq, job.id, json_build_object(
        'seq', job.seq, 'id', job.id, 'task', job.task, 'queue', job.queue, 'state', job.state, 'reason', job.reason,
        'priority', job.priority, 'payload', job.payload, 'meta', job.meta, 'attempt', job.attempt,
        'max_attempts', job.max_attempts, 'crashes', job.crashes, 'rescues', job.rescues, 'run_at', job.run_at,
        'created_at', job.created_at, 'promoted_at', job.promoted_at, 'claimed_at', job.claimed_at,
        'started_at', job.started_at, 'finished_at', job.finished_at, 'timeout', job.timeout, 'fence', job.fence,
        'lease', job.lease, 'worker', job.worker, 'cancel_requested_at', job.cancel_requested_at,
        'unique_key', job.unique_key, 'progress', job.progress, 'result', job.result, 'errors', job.errors,
        'retry', job.retry, 'unknown_at', job.unknown_at)
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
