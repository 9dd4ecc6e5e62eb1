-- How long after run_at a job may start at the latest, and the instant that this makes; of a job that has started without
-- completing there is no instant any more. Releases that know fewer steps go on; they start such jobs all the same.
-- compatible from 1

ALTER TABLE windlass_job ADD COLUMN expires bigint;
ALTER TABLE windlass_job ADD COLUMN start_by bigint;
-- That of the job, where it waits: only jobs with an expiry are in the index.
ALTER TABLE windlass_ready ADD COLUMN start_by bigint;
CREATE INDEX ready_expiry ON windlass_ready (start_by, seq) WHERE start_by IS NOT NULL;
ALTER TABLE windlass_due ADD COLUMN start_by bigint;
CREATE INDEX due_expiry ON windlass_due (start_by, seq) WHERE start_by IS NOT NULL;
ALTER TABLE windlass_blocked ADD COLUMN start_by bigint;
CREATE INDEX blocked_expiry ON windlass_blocked (start_by, seq) WHERE start_by IS NOT NULL;

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
    job.expires, job.start_by
FROM windlass_job AS job
LEFT JOIN windlass_running AS running ON running.seq = job.seq
LEFT JOIN windlass_finished AS finished ON finished.seq = job.seq;
