-- Moves a job that waits to another time: a delay from the store's now, or an instant.
-- One that is ready already and may stay so
-- keeps its place.
-- gives rescheduled
--
-- It waits for a transaction that has the job locked; if the job has gone elsewhere meanwhile, the statement fails with
-- 'windlass: try again', which leaves nothing behind, and the driver repeats it.
WITH
-- here clock
, asked AS MATERIALIZED (
    SELECT now, coalesce(CAST(:at AS bigint), now + CAST(:delay AS bigint)) AS due_at FROM clock
), wanted AS MATERIALIZED (
    SELECT job.seq, job.queue, job.priority, job.run_at, job.concurrency_key
    FROM windlass_job AS job WHERE job.seq = CAST(:seq AS bigint)
), ready AS MATERIALIZED (
    SELECT found.place FROM wanted CROSS JOIN LATERAL (
        SELECT ready.ctid AS place FROM windlass_ready AS ready
        WHERE ready.queue = wanted.queue AND ready.suspect = ANY (ARRAY[false, true])
        AND ready.priority = wanted.priority AND ready.since = wanted.run_at AND ready.seq = wanted.seq
        FOR UPDATE) AS found
), due AS MATERIALIZED (
    SELECT found.place FROM wanted CROSS JOIN LATERAL (
        SELECT due.ctid AS place FROM windlass_due AS due
        WHERE due.run_at = wanted.run_at AND due.seq = wanted.seq
        FOR UPDATE) AS found
),
-- here lock_gates (after = ready)
, kept AS (
    -- Its row stays as it is, and so does its turn, if it holds its concurrency key.
    SELECT wanted.seq FROM wanted, asked WHERE asked.due_at <= asked.now AND EXISTS (SELECT 1 FROM ready)
), from_ready AS (
    DELETE FROM windlass_ready WHERE ctid = (SELECT ready.place FROM ready) AND NOT EXISTS (SELECT 1 FROM kept)
    AND (SELECT count(*) FROM locked_gates) >= 0 RETURNING seq
), from_due AS (
    DELETE FROM windlass_due WHERE ctid = (SELECT due.place FROM due) RETURNING seq
), moved AS (
    UPDATE windlass_job AS job SET
        run_at = greatest(asked.due_at, asked.now),
        -- The expiry counts from there, if it has not started yet.
        start_by = CASE WHEN job.start_by IS NOT NULL THEN greatest(asked.due_at, asked.now) + job.expires END,
        waiting = CASE WHEN asked.due_at > asked.now THEN 'scheduled' ELSE 'pending' END
    FROM asked
    WHERE job.seq = (SELECT seq FROM from_ready UNION ALL SELECT seq FROM from_due)
    RETURNING job.seq, job.run_at, job.waiting, job.queue, job.priority, job.start_by,
        job.crashes + job.rescues > 0 AS suspect
), put_off AS (
    INSERT INTO windlass_due (seq, run_at, state, queue, start_by)
    SELECT seq, run_at, waiting, queue, start_by FROM moved WHERE waiting = 'scheduled'
), placed AS (
    INSERT INTO windlass_ready (seq, since, priority, queue, suspect, start_by)
    SELECT seq, run_at, priority, queue, suspect, start_by FROM moved WHERE waiting = 'pending'
), missed AS MATERIALIZED (
    SELECT 'windlass: try again' AS cause FROM wanted
    WHERE NOT EXISTS (SELECT 1 FROM moved) AND NOT EXISTS (SELECT 1 FROM kept)
    AND (
        EXISTS (
            SELECT 1 FROM windlass_ready AS ready
            WHERE ready.queue = wanted.queue AND ready.suspect = ANY (ARRAY[false, true])
            AND ready.priority = wanted.priority AND ready.since = wanted.run_at AND ready.seq = wanted.seq)
        OR EXISTS (SELECT 1 FROM windlass_due AS due WHERE due.run_at = wanted.run_at AND due.seq = wanted.seq))
)
SELECT seq FROM moved UNION ALL SELECT seq FROM kept UNION ALL SELECT CAST(cause AS bigint) FROM missed
