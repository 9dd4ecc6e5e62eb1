-- Makes jobs pending whose time has come, the longest overdue first. They line up by the time at which they
-- were due.
-- gives promoted
-- gives vanished
WITH
-- here clock
, picked AS MATERIALIZED (
    -- Every worker promotes; a row that another transaction has locked is skipped, without waiting.
    SELECT due.ctid AS place FROM windlass_due AS due
    -- All that was due until now; given as a range, because the planner takes one for choosy (as in cycle (full)).
    WHERE due.run_at BETWEEN 0 AND (SELECT now FROM clock)
    ORDER BY due.run_at, due.seq LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), taken AS (
    -- By their place in the table: they are locked, and such a row is never updated.
    DELETE FROM windlass_due AS due USING picked WHERE due.ctid = picked.place
    RETURNING due.seq, due.queue, due.state
), promoted AS (
    UPDATE windlass_job AS job SET waiting = 'pending', promoted_at = (SELECT now FROM clock)
    FROM taken WHERE job.seq = taken.seq
    RETURNING job.seq, job.run_at, job.priority, job.queue, job.crashes + job.rescues > 0 AS suspect
), ready AS (
    INSERT INTO windlass_ready (seq, since, priority, queue, suspect)
    SELECT seq, run_at, priority, queue, suspect FROM promoted
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(seq)), '[]') FROM promoted) AS promoted,
    -- Jobs whose rows were deleted.
    (SELECT json_agg(json_build_array(seq, queue, state) ORDER BY seq) FROM taken
        WHERE taken.seq NOT IN (SELECT promoted.seq FROM promoted)) AS vanished
