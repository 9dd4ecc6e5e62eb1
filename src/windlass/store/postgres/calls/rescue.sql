-- Ends leases that are over and takes their jobs away. A lease that was renewed since the look keeps its jobs.
-- :leases the leases that the look found to be over
-- :endings rows (seq, fence, state, reason, charge, crash, rescue, delay, ran_for, result, errors, key)
-- :keys rows (key, seq, fence), only of endings whose job has a unique key
-- :by who rescues
-- gives rescued
--
-- Locks are taken in the order lease, keys, jobs by seq: each part counts the one before it.
WITH clock AS (
    SELECT coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)) AS now
), over AS MATERIALIZED (
    -- Waits for a claim that is being made under the lease, and then judges the newest row. Along with them go leases
    -- that were lost a day ago: they have done their duty as markers for their owners.
    SELECT lease.id, lease.state FROM windlass_lease AS lease, clock
    WHERE (lease.state = 'open' AND lease.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:leases AS jsonb))))
        AND NOT (lease.renewed_at - lease.ttl <= clock.now AND clock.now < lease.renewed_at + lease.ttl))
    OR (lease.state = 'lost' AND lease.renewed_at < clock.now - 86400000)
    ORDER BY lease.id
    FOR UPDATE OF lease
), lost AS (
    UPDATE windlass_lease AS lease SET state = 'lost'
    WHERE lease.id = ANY (ARRAY(SELECT over.id FROM over WHERE over.state = 'open'))
    RETURNING lease.id
), closed AS (
    DELETE FROM windlass_lease AS lease
    WHERE lease.id = ANY (ARRAY(SELECT over.id FROM over WHERE over.state = 'lost'))
), held AS MATERIALIZED (
    SELECT key.key FROM windlass_key AS key
    WHERE key.key = ANY (ARRAY(SELECT value ->> 0 FROM jsonb_array_elements(CAST(:keys AS jsonb))))
    AND (SELECT count(*) FROM lost) >= 0
    ORDER BY key.key
    FOR UPDATE
), ending AS MATERIALIZED (
    SELECT CAST(value ->> 0 AS bigint) AS seq, CAST(value ->> 1 AS bigint) AS fence, value ->> 2 AS state,
        value ->> 3 AS reason, CAST(value ->> 4 AS integer) AS charge, CAST(value ->> 5 AS integer) AS crash,
        CAST(value ->> 6 AS integer) AS rescue, value ->> 10 AS errors
    FROM jsonb_array_elements(CAST(:endings AS jsonb))
), locked AS MATERIALIZED (
    SELECT job.seq FROM windlass_job AS job
    WHERE job.seq = ANY (ARRAY(SELECT ending.seq FROM ending)) AND (SELECT count(*) FROM held) >= 0
    ORDER BY job.seq
    FOR UPDATE
), rescued AS (
    -- The fence is raised here too, so that the former owner's endings can be told from repetitions of its own.
    UPDATE windlass_job AS job SET
        state = CASE WHEN job.cancel_requested_at IS NULL THEN ending.state ELSE 'cancelled' END,
        reason = CASE WHEN job.cancel_requested_at IS NULL THEN ending.reason END,
        attempt = job.attempt + ending.charge,
        crashes = job.crashes + ending.crash,
        rescues = job.rescues + ending.rescue,
        finished_at = CASE WHEN job.cancel_requested_at IS NOT NULL OR ending.state = 'failed' THEN clock.now END,
        errors = coalesce(ending.errors, job.errors),
        fence = job.fence + 1,
        lease = NULL,
        claim = NULL
    FROM ending, clock
    WHERE job.seq = ANY (ARRAY(SELECT locked.seq FROM locked)) AND job.seq = ending.seq AND job.fence = ending.fence
    -- The empty text keeps the planner from walking the index of running jobs against the whole batch.
    AND job.state || '' = 'running'
    -- A lease that was lost in this statement still looks open to it.
    AND (job.lease IN (SELECT lost.id FROM lost)
        OR NOT EXISTS (SELECT 1 FROM windlass_lease AS lease WHERE lease.id = job.lease AND lease.state = 'open'))
    RETURNING job.seq, job.id, job.state, job.fence, job.worker, job.started_at
), freed AS (
    -- A job that rescue finished gives its unique key back, unless the key is held for a window of time.
    DELETE FROM windlass_key AS key USING rescued, jsonb_array_elements(CAST(:keys AS jsonb)) AS item (value)
    WHERE key.key = item.value ->> 0 AND CAST(item.value ->> 1 AS bigint) = rescued.seq AND key.id = rescued.id
    AND key.until <> 'window' AND rescued.state IN ('completed', 'failed', 'cancelled')
), noted AS (
    INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
    SELECT rescued.seq, clock.now, 'rescued', rescued.worker, rescued.fence - 1,
        json_build_object('by', CAST(:by AS text), 'started', rescued.started_at IS NOT NULL)
    FROM rescued, clock ORDER BY rescued.seq
)
SELECT id, state FROM rescued
