-- Ends leases that have expired and takes their jobs away. A lease that was renewed since it was read keeps its jobs.
-- :leases the leases that were found to have expired
-- :culprits rows (lease, seq), the job that is held responsible for the loss; it stays with the lease, the first counts
-- :endings rows (Ending, was_started); a job that was marked as started since it was read stays for the next round
-- :keys rows (key, seq, fence) as item, only of endings whose job has a unique key
-- :gates rows (key), the concurrency keys that the jobs hold, in order
-- :by who rescues
-- gives rescued
-- gives vanished
--
-- Locks are taken in the order lease, keys, guards (without waiting), rows of running, limits, concurrency keys: each part
-- counts the one before it.
WITH
-- here clock
, over AS MATERIALIZED (
    -- Waits for a claim that is being made under the lease, and then judges the newest row. Along with them go leases
    -- that were lost a day ago: they have done their duty as markers for their owners.
    SELECT lease.id, lease.state = 'lost' AND lease.renewed_at < clock.now - 86400000 AS is_old
    FROM windlass_lease AS lease, clock
    WHERE (lease.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:leases AS jsonb))))
        AND NOT (
            -- here live_lease
        ))
    OR (lease.state = 'lost' AND lease.renewed_at < clock.now - 86400000)
    ORDER BY lease.id
    FOR UPDATE OF lease
), lost AS (
    UPDATE windlass_lease AS lease SET state = 'lost', blamed = coalesce(lease.blamed, (
        SELECT CAST({culprits.seq} AS bigint) FROM jsonb_array_elements(CAST(:culprits AS jsonb))
        WHERE {culprits.lease} = lease.id))
    WHERE lease.id = ANY (ARRAY(SELECT over.id FROM over WHERE NOT over.is_old AND strpos(over.id, ':') = 0))
    RETURNING lease.id, lease.blamed
), closed AS (
    -- That of a manual claim goes with its job.
    DELETE FROM windlass_lease AS lease
    WHERE lease.id = ANY (ARRAY(SELECT over.id FROM over WHERE over.is_old OR strpos(over.id, ':') > 0))
), held AS MATERIALIZED (
    -- As in cycle (full), a key that a caller's open transaction takes over is passed by.
    SELECT key.key FROM windlass_key AS key
    WHERE key.key = ANY (ARRAY(SELECT {keys.key} FROM jsonb_array_elements(CAST(:keys AS jsonb))))
    AND (SELECT count(*) FROM lost) >= 0
    ORDER BY key.key
    FOR UPDATE SKIP LOCKED
), ending AS MATERIALIZED (
    SELECT {endings.Ending; named; cast seq, fence as bigint; cast charge, crash, rescue as integer;
        cast delay, ran_for as bigint; without result, unique_key, concurrency_key}, {endings.was_started} = '1' AS was_started
    FROM jsonb_array_elements(CAST(:endings AS jsonb))
), unguarded AS MATERIALIZED (
    -- A job that a transaction of its owner's guards stays until that has ended; the next round finds it. One that would
    -- begin to do so waits for this call, and then finds that the job is lost.
    SELECT ending.seq FROM ending
    WHERE (SELECT count(*) FROM held) >= 0 AND pg_try_advisory_xact_lock(
        -- here guard_lock (seq = ending.seq)
    )
), locked AS MATERIALIZED (
    -- A row that is locked is being ended by its owner; if not, the next round finds it.
    SELECT running.seq FROM windlass_running AS running
    WHERE running.seq = ANY (ARRAY(SELECT unguarded.seq FROM unguarded))
    FOR UPDATE SKIP LOCKED
), taken AS (
    DELETE FROM windlass_running AS running USING ending, clock
    WHERE running.seq = ANY (ARRAY(SELECT locked.seq FROM locked)) AND running.seq + 0 = ending.seq
    AND running.fence = ending.fence AND (running.started_at IS NOT NULL) = ending.was_started
    -- A lease that is ended in this statement still looks open to it.
    AND (running.lease IN (SELECT over.id FROM over)
        OR NOT EXISTS (
            SELECT 1 FROM windlass_lease AS lease WHERE lease.id = running.lease AND lease.state = 'open'))
    RETURNING running.seq, running.fence, running.claimed_at, running.started_at, running.cancel_requested_at,
        running.queue, running.worker, running.lease, running.progress, ending.errors, ending.cause,
        CASE WHEN running.cancel_requested_at IS NULL THEN ending.state ELSE 'cancelled' END AS state,
        CASE WHEN running.cancel_requested_at IS NULL THEN ending.reason END AS reason,
        running.attempt + ending.charge AS attempt,
        -- Never below zero: a step that was recorded since the job was read has set them back.
        greatest(0, running.crashes + ending.crash) AS crashes, greatest(0, running.rescues + ending.rescue) AS rescues,
        -- here attempts_after (outcome = 'lost')
        AS attempts,
        -- as in cycle (full)
        CASE WHEN
            -- here returns_to_line (ending = ending)
            THEN running.gate END AS line
), touched AS MATERIALIZED (
    SELECT taken.queue FROM taken
),
-- here limits
, counted AS (
    UPDATE windlass_gate AS gate SET running = gate.running - freed.number
    FROM (
        SELECT gate.name, (SELECT count(*) FROM taken WHERE gate.name IN ('*', taken.queue)) AS number FROM gate
    ) AS freed
    WHERE gate.name = freed.name AND freed.number > 0
), key_gates AS MATERIALIZED (
    -- The triggers that give keys back need them.
    SELECT found.name FROM (
        SELECT ({gates.key}) COLLATE "C" AS name FROM jsonb_array_elements(CAST(:gates AS jsonb))
        WHERE (SELECT count(*) FROM gate) >= 0 ORDER BY name
    ) AS named CROSS JOIN LATERAL (
        SELECT gate.name FROM windlass_key_gate AS gate WHERE gate.name = named.name
        FOR UPDATE) AS found
), rescued AS MATERIALIZED (
    SELECT job.id, taken.seq, taken.state, taken.worker,
        taken.attempt > 0 OR taken.started_at IS NOT NULL AS has_begun
    FROM taken JOIN windlass_job AS job ON job.seq = taken.seq
    WHERE (SELECT count(*) FROM key_gates) >= 0
), finished AS (
    -- The fence is raised here too, so that the former owner's endings can be distinguished from repetitions of its own.
    INSERT INTO windlass_finished (
        seq, fence, finished_at, claimed_at, started_at, cancel_requested_at, attempt, crashes, rescues, state, queue,
        reason, worker, progress, errors, attempts, cause)
    SELECT seq, fence + 1, clock.now, claimed_at, started_at, cancel_requested_at, attempt, crashes, rescues, state,
        queue, reason, worker, progress, errors, attempts, CASE WHEN state = 'failed' THEN cause END
    FROM taken, clock WHERE state IN ('failed', 'cancelled') AND taken.seq IN (SELECT rescued.seq FROM rescued)
), back AS (
    UPDATE windlass_job AS job SET
        waiting = CASE WHEN taken.line IS NULL THEN taken.state ELSE 'blocked' END,
        reason = CASE WHEN taken.line IS NULL THEN taken.reason ELSE 'key' END, attempt = taken.attempt, crashes = taken.crashes,
        rescues = taken.rescues, claimed_at = taken.claimed_at, started_at = taken.started_at,
        fence = taken.fence + 1, worker = taken.worker,
        progress = coalesce(taken.progress, job.progress), errors = coalesce(taken.errors, job.errors),
        attempts = taken.attempts,
        -- it is the first start that has to be in time
        start_by = CASE WHEN taken.started_at IS NULL THEN job.start_by END
    FROM taken WHERE job.seq = taken.seq AND taken.state NOT IN ('failed', 'cancelled')
    RETURNING job.seq, job.run_at, job.priority, job.queue, job.start_by, job.crashes + job.rescues > 0 AS suspect,
        taken.line
), ready AS (
    INSERT INTO windlass_ready (seq, since, priority, queue, suspect, start_by)
    SELECT seq, run_at, priority, queue, suspect, start_by FROM back WHERE line IS NULL
), returned AS (
    INSERT INTO windlass_blocked (seq, since, priority, queue, suspect, start_by, gate)
    SELECT seq, run_at, priority, queue, suspect, start_by, line FROM back WHERE line IS NOT NULL
), freed AS (
    -- A job that rescue finished gives its unique key back, unless the key is held for a window of time, and so does one
    -- that has begun a run if the key was held until then.
    DELETE FROM windlass_key AS key USING rescued, jsonb_array_elements(CAST(:keys AS jsonb)) AS item (value)
    WHERE key.key = ANY (ARRAY(SELECT held.key FROM held))
    AND key.key = {item.key} AND CAST({item.seq} AS bigint) = rescued.seq AND key.id = rescued.id
    AND key.until <> 'window' AND (
        rescued.state IN ('failed', 'cancelled') OR (key.until = 'started' AND rescued.has_begun))
), noted AS (
    INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
    SELECT taken.seq, clock.now, 'rescued', taken.worker, taken.fence,
        -- nothing of the blame where no job is held responsible
        json_strip_nulls(json_build_object('by', CAST(:by AS text), 'started', taken.started_at IS NOT NULL, 'blamed', (
            SELECT culprit.id FROM lost JOIN windlass_job AS culprit ON culprit.seq = lost.blamed
            WHERE lost.id = taken.lease)))
    FROM taken, clock WHERE taken.seq IN (SELECT rescued.seq FROM rescued) ORDER BY taken.seq
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(id, state, worker) ORDER BY seq), '[]') FROM rescued) AS rescued,
    -- Jobs whose rows were deleted have nowhere to go.
    (SELECT json_agg(json_build_array(seq, queue, 'running') ORDER BY seq) FROM taken
        WHERE taken.seq NOT IN (SELECT rescued.seq FROM rescued)) AS vanished
