-- Ends what waits; asks what runs to stop. A running job that is asked already stays as it is.
-- gives cancelled
-- gives missed
--
-- Locks are taken in the order keys, ready, due, blocked, running, concurrency keys, each by seq: each part counts the one before it. It waits for
-- what others have in hand; a job that has gone elsewhere meanwhile is missed; the operation asks for it again.
--
-- As in cycle, rows are looked up in LATERAL parts and some conditions are there only for the planner (all of the
-- numbers that a seq can be), so that a plan that was made for empty tables does not read large ones.
WITH
-- here clock, requested_jobs
, held AS MATERIALIZED (
    -- Only their own, and as in cycle (full) none that a caller's open transaction takes over.
    SELECT named.seq, found.key, found.until FROM (
        SELECT wanted.seq, wanted.id, wanted.unique_key FROM wanted
        WHERE wanted.unique_key IS NOT NULL ORDER BY wanted.unique_key
    ) AS named CROSS JOIN LATERAL (
        SELECT key.key, key.until FROM windlass_key AS key WHERE key.key = named.unique_key AND key.id = named.id
        FOR UPDATE SKIP LOCKED) AS found
), ready AS MATERIALIZED (
    SELECT wanted.seq, found.place FROM wanted CROSS JOIN LATERAL (
        SELECT ready.ctid AS place FROM windlass_ready AS ready
        WHERE ready.queue = wanted.queue AND ready.suspect = ANY (ARRAY[false, true])
        AND ready.priority = wanted.priority AND ready.since = wanted.run_at AND ready.seq = wanted.seq
        FOR UPDATE) AS found
    WHERE (SELECT count(*) FROM held) >= 0
), due AS MATERIALIZED (
    SELECT wanted.seq, found.place FROM wanted CROSS JOIN LATERAL (
        SELECT due.ctid AS place FROM windlass_due AS due WHERE due.run_at = wanted.run_at AND due.seq = wanted.seq
        FOR UPDATE) AS found
    WHERE (SELECT count(*) FROM ready) >= 0
), blocked AS MATERIALIZED (
    SELECT wanted.seq, found.place FROM wanted CROSS JOIN LATERAL (
        SELECT blocked.ctid AS place FROM windlass_blocked AS blocked WHERE blocked.seq = wanted.seq
        FOR UPDATE) AS found
    WHERE (SELECT count(*) FROM due) >= 0
), running AS MATERIALIZED (
    SELECT found.seq FROM wanted CROSS JOIN LATERAL (
        SELECT running.seq FROM windlass_running AS running WHERE running.seq = wanted.seq
        FOR UPDATE) AS found
    WHERE (SELECT count(*) FROM blocked) >= 0
),
-- here lock_gates (after = running)
,
-- here from_waiting
, ended AS (
    INSERT INTO windlass_finished (
        seq, fence, finished_at, claimed_at, started_at, cancel_requested_at, attempt, crashes, rescues, state, queue,
        worker, tallied)
    SELECT wanted.seq, wanted.fence, clock.now, wanted.claimed_at, wanted.started_at, clock.now, wanted.attempt,
        wanted.crashes, wanted.rescues, 'cancelled', wanted.queue, wanted.worker, true
    FROM wanted, clock
    WHERE wanted.seq IN (
        SELECT seq FROM from_ready UNION ALL SELECT seq FROM from_due UNION ALL SELECT seq FROM from_blocked)
    RETURNING seq, fence, worker, queue, state
), finished AS (
    SELECT queue, state FROM ended
),
-- here tally
, asked AS (
    UPDATE windlass_running AS job SET cancel_requested_at = clock.now FROM running, clock
    WHERE job.seq = running.seq AND running.seq BETWEEN 0 AND 9223372036854775807 AND job.cancel_requested_at IS NULL
    RETURNING job.seq, job.fence, job.worker
), freed AS (
    -- A job that is cancelled here gives its unique key back.
    DELETE FROM windlass_key AS key USING held
    WHERE key.key = held.key AND held.seq BETWEEN 0 AND 9223372036854775807 AND held.until <> 'window'
    AND held.seq IN (SELECT ended.seq FROM ended)
), changed AS (
    SELECT seq, fence, worker, 'cancelled' AS state, 'cancelled' AS kind FROM ended
    UNION ALL
    SELECT seq, fence, worker, 'running', 'cancel_requested' FROM asked
), noted AS (
    INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
    SELECT changed.seq, clock.now, changed.kind, changed.worker, changed.fence,
        json_build_object('by', CAST(:by AS text), 'reason', CAST(:reason AS text))
    FROM changed, clock ORDER BY changed.seq
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(seq, state)), '[]') FROM changed) AS cancelled,
    (SELECT coalesce(json_agg(json_build_array(wanted.seq)), '[]') FROM wanted
        WHERE wanted.seq NOT IN (
            SELECT seq FROM blocked UNION ALL SELECT seq FROM ready UNION ALL SELECT seq FROM due
            UNION ALL SELECT seq FROM running)
        AND coalesce(
            (SELECT 1 FROM windlass_blocked AS blocked WHERE blocked.seq = wanted.seq),
            (SELECT 1 FROM windlass_ready AS ready
                WHERE ready.queue = wanted.queue AND ready.suspect = ANY (ARRAY[false, true])
                AND ready.priority = wanted.priority AND ready.since = wanted.run_at AND ready.seq = wanted.seq),
            (SELECT 1 FROM windlass_due AS due WHERE due.run_at = wanted.run_at AND due.seq = wanted.seq),
            (SELECT 1 FROM windlass_running AS running WHERE running.seq = wanted.seq)) = 1) AS missed
