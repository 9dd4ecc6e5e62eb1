-- The fingerprint of the error of a job that has failed for good. Jobs that failed before this step, or in a process that was
-- started before it, have none: they are grouped by the type of their error.
-- compatible from 1

ALTER TABLE windlass_finished ADD COLUMN cause text COLLATE "C";

CREATE OR REPLACE VIEW windlass_record AS
SELECT job.seq, job.id, job.task, job.queue,
    CASE WHEN running.seq IS NOT NULL THEN 'running' ELSE coalesce(finished.state, job.waiting) END
        COLLATE "C" AS state,
    CASE WHEN finished.seq IS NOT NULL THEN finished.reason ELSE job.reason END AS reason,
    job.priority, job.payload, job.meta,
    coalesce(running.attempt, finished.attempt, job.attempt) AS attempt,
    job.max_attempts,
    coalesce(running.crashes, finished.crashes, job.crashes) AS crashes,
    coalesce(running.rescues, finished.rescues, job.rescues) AS rescues,
    job.run_at, job.created_at, job.promoted_at,
    CASE WHEN finished.seq IS NOT NULL THEN finished.claimed_at
        ELSE coalesce(running.claimed_at, job.claimed_at) END AS claimed_at,
    -- a run that has not begun does not show when an earlier one did
    CASE WHEN running.seq IS NOT NULL THEN running.started_at
        WHEN finished.seq IS NOT NULL THEN finished.started_at ELSE job.started_at END AS started_at,
    finished.finished_at, job.timeout,
    coalesce(running.fence, finished.fence, job.fence) AS fence,
    running.lease, running.claim,
    CASE WHEN finished.seq IS NOT NULL THEN finished.worker ELSE coalesce(running.worker, job.worker) END AS worker,
    coalesce(running.cancel_requested_at, finished.cancel_requested_at) AS cancel_requested_at,
    job.unique_key,
    coalesce(running.progress, finished.progress, job.progress) AS progress,
    finished.result,
    coalesce(finished.errors, job.errors) AS errors,
    job.retry,
    CASE WHEN finished.seq IS NULL THEN job.unknown_at
        WHEN finished.reason = 'unknown_task' THEN coalesce(job.unknown_at, finished.finished_at) END AS unknown_at,
    job.tags,
    CAST(coalesce(finished.attempts, job.attempts) AS text) COLLATE "C" AS attempts,
    job.expires, job.start_by,
    job.concurrency_key,
    job.rate_key,
    finished.cause
FROM windlass_job AS job
LEFT JOIN windlass_running AS running ON running.seq = job.seq
LEFT JOIN windlass_finished AS finished ON finished.seq = job.seq;
