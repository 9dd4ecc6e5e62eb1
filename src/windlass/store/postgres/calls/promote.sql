-- Makes jobs pending whose time has come, the longest overdue first. They line up by the time at which they
-- were due. Ends jobs that have not started in time, as many of those that wait for their time, of those that are ready
-- and of those that are blocked.
-- gives promoted
-- gives expired
-- gives opening
-- gives released
-- gives doomed
-- gives vanished
--
-- It waits for no lock: what others have in hand is found by the next call.
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
), put_off AS MATERIALIZED (
    SELECT due.ctid AS place FROM windlass_due AS due
    WHERE due.start_by BETWEEN 0 AND (SELECT now FROM clock)
    ORDER BY due.start_by, due.seq LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), given_up AS (
    -- A row that is due as well goes here or there, once.
    DELETE FROM windlass_due AS due USING put_off WHERE due.ctid = put_off.place
    RETURNING due.seq, due.queue, due.state
), overdue AS MATERIALIZED (
    SELECT ready.ctid AS place, ready.gate FROM windlass_ready AS ready
    WHERE ready.start_by BETWEEN 0 AND (SELECT now FROM clock)
    ORDER BY ready.start_by, ready.seq LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), locked_gates AS MATERIALIZED (
    -- In order: the triggers that give concurrency keys back need them. No caller's transaction ever has one.
    SELECT found.name FROM (
        SELECT DISTINCT overdue.gate FROM overdue WHERE overdue.gate IS NOT NULL ORDER BY overdue.gate
    ) AS named CROSS JOIN LATERAL (
        SELECT gate.name FROM windlass_key_gate AS gate WHERE gate.name = named.gate
        FOR UPDATE) AS found
), dropped AS (
    DELETE FROM windlass_ready AS ready USING overdue
    WHERE ready.ctid = overdue.place AND (SELECT count(*) FROM locked_gates) >= 0
    RETURNING ready.seq, ready.queue
), blocked AS MATERIALIZED (
    SELECT blocked.ctid AS place FROM windlass_blocked AS blocked
    WHERE blocked.start_by BETWEEN 0 AND (SELECT now FROM clock)
    ORDER BY blocked.start_by, blocked.seq LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), unblocked AS (
    DELETE FROM windlass_blocked AS gone USING blocked WHERE gone.ctid = blocked.place
    RETURNING gone.seq, gone.queue
), late AS MATERIALIZED (
    SELECT job.* FROM (
        SELECT seq, false AS is_late FROM taken
        UNION ALL SELECT seq, true FROM given_up
        UNION ALL SELECT seq, true FROM dropped
        UNION ALL SELECT seq, true FROM unblocked
    -- LATERAL, and OFFSET 0, so that a plan that was made for empty tables does not read large ones
    ) AS found CROSS JOIN LATERAL (
        SELECT * FROM windlass_job WHERE windlass_job.seq = found.seq OFFSET 0) AS job
    WHERE found.is_late OR job.start_by <= (SELECT now FROM clock)
), finished AS (
    INSERT INTO windlass_finished (
        seq, fence, finished_at, claimed_at, started_at, attempt, crashes, rescues, state, queue, reason, worker,
        tallied)
    SELECT late.seq, late.fence, clock.now, late.claimed_at, late.started_at, late.attempt, late.crashes, late.rescues,
        'cancelled', late.queue, 'expired', late.worker, true
    FROM late, clock
    RETURNING seq, queue, state
),
-- here tally
, held AS MATERIALIZED (
    -- As in cycle (full), a key that a caller's open transaction takes over is passed by.
    SELECT found.place FROM late CROSS JOIN LATERAL (
        SELECT key.ctid AS place FROM windlass_key AS key
        WHERE key.key = late.unique_key AND key.id = late.id AND key.until <> 'window'
        FOR UPDATE SKIP LOCKED) AS found
    WHERE late.unique_key IS NOT NULL
), freed AS (
    DELETE FROM windlass_key AS key USING held WHERE key.ctid = held.place
), promoted AS (
    UPDATE windlass_job AS job SET waiting = 'pending', promoted_at = (SELECT now FROM clock)
    FROM taken WHERE job.seq = taken.seq AND (job.start_by IS NULL OR job.start_by > (SELECT now FROM clock))
    RETURNING job.seq, job.run_at, job.priority, job.queue, job.start_by, job.crashes + job.rescues > 0 AS suspect
), ready AS (
    INSERT INTO windlass_ready (seq, since, priority, queue, suspect, start_by)
    SELECT seq, run_at, priority, queue, suspect, start_by FROM promoted
), settled AS MATERIALIZED (
    -- Last, when all rows are moved: it sees what the other parts have written.
    SELECT found.seq, found.state FROM clock CROSS JOIN LATERAL windlass_settle_edges(
        ARRAY(
            SELECT DISTINCT edge.child FROM windlass_edge AS edge WHERE edge.state = 0
            AND (SELECT count(*) FROM finished) >= 0 AND (SELECT count(*) FROM promoted) >= 0
            ORDER BY edge.child LIMIT CAST(:limit AS bigint)),
        clock.now, true) AS found
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(seq)), '[]') FROM promoted) AS promoted,
    (SELECT coalesce(json_agg(json_build_array(seq)), '[]') FROM finished) AS expired,
    -- Whether a rate has a token for jobs that wait: `open_rates` follows.
    (SELECT json_build_array(json_build_array(1)) FROM windlass_rate_gate AS rate
        WHERE rate.opens_at BETWEEN 0 AND (SELECT now FROM clock) LIMIT 1) AS opening,
    (SELECT json_build_array(json_build_array(count(*))) FROM settled WHERE settled.state <> 'cancelled') AS released,
    (SELECT json_build_array(json_build_array(count(*))) FROM settled WHERE settled.state = 'cancelled') AS doomed,
    -- Jobs whose rows were deleted.
    (SELECT json_agg(json_build_array(seq, queue, state) ORDER BY seq) FROM (
        SELECT seq, queue, state FROM taken UNION ALL SELECT seq, queue, state FROM given_up
        UNION ALL SELECT seq, queue, 'pending' FROM dropped UNION ALL SELECT seq, queue, 'blocked' FROM unblocked) AS gone
        WHERE gone.seq NOT IN (SELECT promoted.seq FROM promoted)
        AND gone.seq NOT IN (SELECT late.seq FROM late)) AS vanished
