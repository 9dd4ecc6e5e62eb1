-- Ends jobs that wait or run as failed, by hand. The fence of a run is raised, so that its owner finds out that it has lost
-- the job, and its ending changes nothing. A job that has moved on since it was seen stays as it is.
-- :seqs the jobs
-- :endings rows (Ending, found) as ending; found is the state in which the job was seen
-- :by, :reason who does it, and why
-- gives failed
-- gives guarded
--
-- Locks are taken in the order keys, ready, due, blocked, guards (without waiting), running, limits, concurrency keys: each
-- part counts the one before it.
--
-- As in cancel, rows are looked up in LATERAL parts and some conditions are there only for the planner.
WITH
-- here clock, requested_jobs
, ending AS MATERIALIZED (
    SELECT {endings.Ending; named; cast seq, fence as bigint; cast charge, crash, rescue as integer;
        cast delay, ran_for as bigint; without result, unique_key, concurrency_key}, {endings.found} AS found
    FROM jsonb_array_elements(CAST(:endings AS jsonb))
), meant AS MATERIALIZED (
    SELECT wanted.*, ending.found, ending.fence AS seen_fence FROM wanted JOIN ending ON ending.seq = wanted.seq
    WHERE ending.found = 'running' OR ending.fence = wanted.fence ORDER BY wanted.seq
), held AS MATERIALIZED (
    -- Only their own, and as in cycle (full) none that a caller's open transaction takes over.
    SELECT named.seq, found.key, found.until FROM (
        SELECT meant.seq, meant.id, meant.unique_key FROM meant
        WHERE meant.unique_key IS NOT NULL ORDER BY meant.unique_key
    ) AS named CROSS JOIN LATERAL (
        SELECT key.key, key.until FROM windlass_key AS key WHERE key.key = named.unique_key AND key.id = named.id
        FOR UPDATE SKIP LOCKED) AS found
), ready AS MATERIALIZED (
    SELECT meant.seq, found.place FROM meant CROSS JOIN LATERAL (
        SELECT ready.ctid AS place FROM windlass_ready AS ready
        WHERE ready.queue = meant.queue AND ready.suspect = ANY (ARRAY[false, true])
        AND ready.priority = meant.priority AND ready.since = meant.run_at AND ready.seq = meant.seq
        FOR UPDATE) AS found
    WHERE meant.found = 'pending' AND (SELECT count(*) FROM held) >= 0
), due AS MATERIALIZED (
    SELECT meant.seq, found.place FROM meant CROSS JOIN LATERAL (
        SELECT due.ctid AS place FROM windlass_due AS due
        WHERE due.run_at = meant.run_at AND due.seq = meant.seq AND due.state = meant.found
        FOR UPDATE) AS found
    WHERE (SELECT count(*) FROM ready) >= 0
), blocked AS MATERIALIZED (
    SELECT meant.seq, found.place FROM meant CROSS JOIN LATERAL (
        SELECT blocked.ctid AS place FROM windlass_blocked AS blocked WHERE blocked.seq = meant.seq
        FOR UPDATE) AS found
    WHERE meant.found = 'blocked' AND (SELECT count(*) FROM due) >= 0
), unguarded AS MATERIALIZED (
    -- A job that a transaction of its owner's guards is its owner's until that has ended.
    SELECT meant.seq, meant.seen_fence FROM meant
    WHERE meant.found = 'running' AND (SELECT count(*) FROM blocked) >= 0 AND pg_try_advisory_xact_lock(
        -- here guard_lock (seq = meant.seq)
    )
), run AS MATERIALIZED (
    SELECT unguarded.seq, found.place, found.queue FROM unguarded CROSS JOIN LATERAL (
        SELECT running.ctid AS place, running.queue FROM windlass_running AS running
        WHERE running.seq = unguarded.seq AND running.fence = unguarded.seen_fence
        FOR UPDATE) AS found
), touched AS MATERIALIZED (
    SELECT run.queue FROM run
),
-- here limits
, counted AS (
    UPDATE windlass_gate AS gate SET running = gate.running - freed.number
    FROM (
        SELECT gate.name, (SELECT count(*) FROM run WHERE gate.name IN ('*', run.queue)) AS number FROM gate
    ) AS freed
    WHERE gate.name = freed.name AND freed.number > 0
),
-- here lock_gates (after = gate)
,
-- here from_waiting
, taken AS (
    DELETE FROM windlass_running AS running USING run, ending, clock
    WHERE (SELECT count(*) FROM locked_gates) >= 0 AND running.ctid = run.place AND run.seq BETWEEN 0 AND 9223372036854775807
    AND ending.seq = run.seq
    RETURNING running.*, CASE WHEN running.started_at IS NOT NULL THEN
        -- here attempts_after (outcome = 'failed')
        END AS attempts
), closed AS (
    -- The lease of a manual claim goes with its job; a worker's, which has no colon, holds others too.
    DELETE FROM windlass_lease AS lease USING taken
    WHERE lease.id = taken.lease AND strpos(taken.lease, ':') > 0
    RETURNING 1
), over AS MATERIALIZED (
    SELECT meant.seq, meant.fence, meant.claimed_at, meant.started_at, CAST(NULL AS bigint) AS cancel_requested_at,
        meant.attempt, meant.crashes, meant.rescues, meant.queue, meant.worker, CAST(NULL AS text) AS progress,
        CAST(NULL AS jsonb) AS attempts, meant.fence AS seen_fence
    FROM meant
    WHERE meant.seq IN (
        SELECT seq FROM from_ready UNION ALL SELECT seq FROM from_due UNION ALL SELECT seq FROM from_blocked)
    UNION ALL
    SELECT taken.seq, taken.fence + 1, taken.claimed_at, taken.started_at, taken.cancel_requested_at,
        taken.attempt, taken.crashes, taken.rescues, taken.queue, taken.worker, taken.progress, taken.attempts, taken.fence
    FROM taken
), ended AS (
    INSERT INTO windlass_finished (
        seq, fence, finished_at, claimed_at, started_at, cancel_requested_at, attempt, crashes, rescues, state, queue,
        reason, worker, progress, errors, attempts, cause, tallied)
    SELECT over.seq, over.fence, clock.now, over.claimed_at, over.started_at, over.cancel_requested_at,
        over.attempt + ending.charge, over.crashes, over.rescues, 'failed', over.queue,
        ending.reason, over.worker, over.progress, ending.errors, over.attempts, ending.cause, true
    FROM clock, over JOIN ending ON ending.seq = over.seq
    RETURNING seq, queue, state
), finished AS (
    SELECT queue, state FROM ended
),
-- here tally
, freed AS (
    -- A job that is failed here gives its unique key back.
    DELETE FROM windlass_key AS key USING held
    WHERE key.key = held.key AND held.seq BETWEEN 0 AND 9223372036854775807 AND held.until <> 'window'
    AND held.seq IN (SELECT ended.seq FROM ended)
), noted AS (
    INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
    SELECT over.seq, clock.now, 'failed_by_hand', over.worker, over.seen_fence,
        json_build_object('by', CAST(:by AS text), 'reason', CAST(:reason AS text), 'from', ending.found)
    FROM clock, over JOIN ending ON ending.seq = over.seq ORDER BY over.seq
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(seq)), '[]') FROM ended) AS failed,
    (SELECT coalesce(json_agg(json_build_array(meant.seq)), '[]') FROM meant
        WHERE meant.found = 'running' AND meant.seq NOT IN (SELECT unguarded.seq FROM unguarded)) AS guarded
