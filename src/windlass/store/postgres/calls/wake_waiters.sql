-- Makes jobs pending whose event has come, of :limit waits that are to be looked at, but for those whose run has not ended
-- yet.
-- gives woken
-- gives looked
--
-- It waits for no lock: what others have in hand is looked at by the next call. A wait that was changed since this statement
-- began is left alone too: the statement may not see the event for which the wait was marked.
WITH
-- here clock
, page AS MATERIALIZED (
    SELECT step.ctid AS place, step.xmin AS version, step.seq, step.name, step.event, step.began_at
    FROM windlass_step AS step
    WHERE step.is_new AND NOT EXISTS (
        SELECT 1 FROM windlass_running AS running WHERE running.seq = step.seq AND running.fence = step.fence)
    ORDER BY step.seq LIMIT CAST(:limit AS bigint)
    FOR UPDATE OF step SKIP LOCKED
), unchanged AS MATERIALIZED (
    SELECT page.* FROM page CROSS JOIN LATERAL (
        SELECT seen.xmin AS version FROM windlass_step AS seen
        WHERE seen.seq = page.seq AND seen.name = page.name OFFSET 0) AS seen
    WHERE seen.version = page.version
), come AS MATERIALIZED (
    SELECT unchanged.seq, job.run_at FROM unchanged CROSS JOIN LATERAL (
        SELECT job.run_at FROM windlass_job AS job
        WHERE job.seq = unchanged.seq AND job.waiting = 'scheduled' AND job.reason = 'event' OFFSET 0) AS job
    WHERE EXISTS (
        SELECT 1 FROM windlass_sent AS sent
        WHERE sent.name = unchanged.event AND sent.sent_at > unchanged.began_at - 604800000)
), due AS MATERIALIZED (
    SELECT found.place FROM come CROSS JOIN LATERAL (
        SELECT due.ctid AS place FROM windlass_due AS due WHERE due.run_at = come.run_at AND due.seq = come.seq
        FOR UPDATE SKIP LOCKED) AS found
), taken AS (
    -- By their place in the table: they are locked, and such a row is never updated.
    DELETE FROM windlass_due AS due USING due AS locked WHERE due.ctid = locked.place RETURNING due.seq
), moved AS (
    UPDATE windlass_job AS job SET waiting = 'pending', run_at = clock.now, promoted_at = clock.now
    FROM taken, clock WHERE job.seq = taken.seq AND taken.seq BETWEEN 0 AND 9223372036854775807
    RETURNING job.seq, job.run_at, job.priority, job.queue, job.start_by, job.crashes + job.rescues > 0 AS suspect
), ready AS (
    INSERT INTO windlass_ready (seq, since, priority, queue, suspect, start_by)
    SELECT seq, run_at, priority, queue, suspect, start_by FROM moved
), known AS (
    UPDATE windlass_step AS step SET is_new = NULL FROM unchanged
    WHERE step.ctid = unchanged.place
    -- One that another transaction has in hand is looked at again.
    AND (unchanged.seq IN (SELECT taken.seq FROM taken) OR NOT EXISTS (
        SELECT 1 FROM come JOIN windlass_due AS still ON still.run_at = come.run_at AND still.seq = come.seq
        WHERE come.seq = unchanged.seq))
    RETURNING step.seq
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(seq)), '[]') FROM moved) AS woken,
    (SELECT json_build_array(json_build_array(count(*))) FROM known) AS looked
