-- Puts an archived job back as it was, and takes it out of the store's own archive. Only its seq is new, and its end is now, or
-- the next cleaning would take it again. :week is null where it does not lie in that archive.
-- :jobs rows (JobRecord)
-- :steps rows (StepRecord)
-- gives refused
WITH
-- here clock
, there AS MATERIALIZED (
    SELECT 1 FROM windlass_archive AS archive
    WHERE archive.week = CAST(:week AS text) COLLATE "C" AND archive.seq = CAST(:archived AS bigint) LIMIT 1
), stored AS (
    INSERT INTO windlass_job ({JobRecord; state = waiting;
        without seq, lease, finished_at, cancel_requested_at, result, cause}, has_steps)
    SELECT {jobs.JobRecord; cast numbers as bigint; cast priority, attempt, max_attempts, crashes, rescues as integer;
        cast attempts as jsonb; state = 'pending';
        without seq, lease, finished_at, cancel_requested_at, result, cause},
        CASE WHEN jsonb_array_length(CAST(:steps AS jsonb)) > 0 THEN true END
    FROM jsonb_array_elements(CAST(:jobs AS jsonb))
    WHERE CAST(:week AS text) IS NULL OR EXISTS (SELECT 1 FROM there)
    ON CONFLICT (id) DO NOTHING
    RETURNING seq, queue, fence
), finished AS (
    INSERT INTO windlass_finished (
        seq, fence, finished_at, claimed_at, started_at, cancel_requested_at, attempt, crashes, rescues, state, queue,
        reason, worker, progress, result, errors, tallied, cause)
    SELECT stored.seq, CAST({jobs.fence} AS bigint), clock.now, CAST({jobs.claimed_at} AS bigint),
        CAST({jobs.started_at} AS bigint), CAST({jobs.cancel_requested_at} AS bigint),
        CAST({jobs.attempt} AS integer), CAST({jobs.crashes} AS integer), CAST({jobs.rescues} AS integer),
        {jobs.state}, stored.queue, {jobs.reason}, {jobs.worker}, {jobs.progress}, {jobs.result}, {jobs.errors}, true,
        {jobs.cause}
    FROM stored CROSS JOIN clock CROSS JOIN jsonb_array_elements(CAST(:jobs AS jsonb))
    RETURNING queue, state
),
-- here tally
, recorded AS (
    INSERT INTO windlass_step (seq, {StepRecord})
    SELECT stored.seq, {steps.StepRecord; cast numbers as bigint}
    FROM stored CROSS JOIN jsonb_array_elements(CAST(:steps AS jsonb))
), past AS (
    INSERT INTO windlass_event (seq, at, kind, fence, detail)
    SELECT stored.seq, clock.now, 'restored', stored.fence, CAST(:detail AS text) FROM stored CROSS JOIN clock
), taken AS (
    DELETE FROM windlass_archive AS archive USING stored
    WHERE archive.week = CAST(:week AS text) COLLATE "C" AND archive.seq = CAST(:archived AS bigint)
)
SELECT CASE WHEN CAST(:week AS text) IS NULL OR EXISTS (SELECT 1 FROM there)
    OR EXISTS (SELECT 1 FROM windlass_job AS job WHERE job.id = CAST(:id AS text)) THEN 'taken' ELSE 'gone' END
WHERE NOT EXISTS (SELECT 1 FROM stored)
