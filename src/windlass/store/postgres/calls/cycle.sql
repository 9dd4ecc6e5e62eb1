-- Ends runs, notes which runs have begun, and takes the next jobs, in one commit.
-- :completed rows (seq, fence, ran_for, result), the runs that just returned
-- :endings rows (seq, fence, state, reason, charge, crash, rescue, delay, ran_for, result, errors, key), all others
-- :keys rows (key, seq, fence), only of endings whose job has a unique key
-- :marks rows (seq, fence, milliseconds ago)
-- :rooms rows (queue, room)
-- :lease, :token, :worker who claims; a call that is repeated with the same token and no rooms finds what the first
-- one took
-- gives ended
-- gives marked
-- gives claimed as json
--
-- Locks are taken in the order lease, keys, jobs by seq: each part counts the one before it. A job that this call
-- puts back is not taken by the same call, because a statement does not see what its own parts write.
WITH clock AS (
    SELECT coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)) AS now
), lease AS MATERIALIZED (
    -- The lock keeps the lease from being rescued between this look and the commit of what is taken under it.
    SELECT lease.id FROM windlass_lease AS lease, clock
    WHERE CAST(:rooms AS text) <> '[]' AND lease.id = :lease AND lease.state = 'open'
    AND lease.renewed_at - lease.ttl <= clock.now AND clock.now < lease.renewed_at + lease.ttl
    FOR SHARE OF lease
), held AS MATERIALIZED (
    SELECT key.key FROM windlass_key AS key
    WHERE key.key = ANY (ARRAY(SELECT value ->> 0 FROM jsonb_array_elements(CAST(:keys AS jsonb))))
    AND (SELECT count(*) FROM lease) >= 0
    ORDER BY key.key
    FOR UPDATE
), ending AS MATERIALIZED (
    SELECT CAST(value ->> 0 AS bigint) AS seq, CAST(value ->> 1 AS bigint) AS fence, value ->> 2 AS state,
        value ->> 3 AS reason, CAST(value ->> 4 AS integer) AS charge, CAST(value ->> 5 AS integer) AS crash,
        CAST(value ->> 6 AS integer) AS rescue, CAST(value ->> 7 AS bigint) AS delay,
        CAST(value ->> 8 AS bigint) AS ran_for, value ->> 9 AS result, value ->> 10 AS errors
    FROM jsonb_array_elements(CAST(:endings AS jsonb))
    UNION ALL
    SELECT CAST(value ->> 0 AS bigint), CAST(value ->> 1 AS bigint), 'completed', NULL, 1, 0, 0, NULL,
        CAST(value ->> 2 AS bigint), value ->> 3, NULL
    FROM jsonb_array_elements(CAST(:completed AS jsonb))
), mark AS MATERIALIZED (
    SELECT CAST(value ->> 0 AS bigint) AS seq, CAST(value ->> 1 AS bigint) AS fence, CAST(value ->> 2 AS bigint) AS ago
    FROM jsonb_array_elements(CAST(:marks AS jsonb))
), locked AS MATERIALIZED (
    SELECT job.seq FROM windlass_job AS job
    WHERE job.seq = ANY (ARRAY(SELECT ending.seq FROM ending UNION ALL SELECT mark.seq FROM mark))
    AND (SELECT count(*) FROM held) >= 0
    ORDER BY job.seq
    FOR UPDATE
), ended AS (
    -- Only the owner whose fence the job still carries may end it, and only while it runs; for every other row nothing
    -- happens. A cancel request turns every ending but completed into cancelled.
    UPDATE windlass_job AS job SET
        -- A state that no run can end in becomes null, which the table refuses.
        state = CASE WHEN job.cancel_requested_at IS NOT NULL AND ending.state <> 'completed' THEN 'cancelled'
            WHEN ending.state NOT IN ('running', 'blocked') THEN ending.state END,
        reason = CASE WHEN job.cancel_requested_at IS NULL OR ending.state = 'completed' THEN ending.reason END,
        attempt = job.attempt + ending.charge,
        crashes = job.crashes + ending.crash,
        rescues = job.rescues + ending.rescue,
        run_at = coalesce(clock.now + ending.delay, job.run_at),
        started_at = coalesce(job.started_at, clock.now - ending.ran_for),
        finished_at = CASE
            WHEN job.cancel_requested_at IS NOT NULL OR ending.state IN ('completed', 'failed', 'cancelled')
            THEN clock.now END,
        -- how long it has been unknown to every worker that met it; any other ending starts that clock anew
        unknown_at = CASE WHEN ending.reason = 'unknown_task' THEN coalesce(job.unknown_at, clock.now) END,
        result = ending.result,
        errors = coalesce(ending.errors, job.errors),
        lease = NULL,
        claim = NULL
    FROM ending, clock
    WHERE job.seq = ANY (ARRAY(SELECT locked.seq FROM locked)) AND job.seq = ending.seq AND job.fence = ending.fence
    -- The empty text keeps the planner from walking the index of running jobs against the whole batch.
    AND job.state || '' = 'running'
    RETURNING job.seq, job.id, job.state
), freed AS (
    -- A finished job gives its unique key back, unless the key is held for a window of time.
    DELETE FROM windlass_key AS key USING ended, jsonb_array_elements(CAST(:keys AS jsonb)) AS item (value)
    WHERE key.key = item.value ->> 0 AND CAST(item.value ->> 1 AS bigint) = ended.seq AND key.id = ended.id
    AND key.until <> 'window' AND ended.state IN ('completed', 'failed', 'cancelled')
), marked AS (
    -- Notes that user code has begun under this fence; the attempt itself is charged by the ending or by rescue.
    -- A row may be written only once in a statement, and an ending comes first.
    UPDATE windlass_job AS job SET started_at = coalesce(job.started_at, clock.now - mark.ago)
    FROM mark, clock
    WHERE job.seq = ANY (ARRAY(SELECT locked.seq FROM locked)) AND job.seq = mark.seq AND job.fence = mark.fence
    AND job.state || '' = 'running' AND job.seq NOT IN (SELECT ended.seq FROM ended)
    RETURNING job.seq
), room AS MATERIALIZED (
    SELECT value ->> 0 AS queue, CAST(value ->> 1 AS integer) AS room
    FROM jsonb_array_elements(CAST(:rooms AS jsonb))
    WHERE EXISTS (SELECT 1 FROM lease) AND CAST(value ->> 1 AS integer) > 0
    AND NOT EXISTS (
        SELECT 1 FROM windlass_queue AS queue
        WHERE queue.name IN (value ->> 0, '*') AND queue.paused_at IS NOT NULL)
), picked AS MATERIALIZED (
    -- By priority and then by age. Locked inside each branch, with that queue's own room: rows that were merged first
    -- and locked later come back empty or twice.
    SELECT next.seq FROM room CROSS JOIN LATERAL (
        SELECT job.seq FROM windlass_job AS job WHERE job.queue = room.queue AND job.state = 'pending'
        ORDER BY job.priority DESC, job.seq LIMIT room.room
        FOR UPDATE SKIP LOCKED) AS next
), taken AS (
    UPDATE windlass_job AS job SET
        state = 'running', fence = job.fence + 1, lease = :lease, claim = :token, worker = :worker,
        claimed_at = clock.now, started_at = NULL, finished_at = NULL
    FROM clock
    WHERE job.seq = ANY (ARRAY(SELECT picked.seq FROM picked)) AND job.state = 'pending'
    RETURNING job.seq, job.id, job.task, job.queue, job.priority, job.payload, job.meta, job.attempt, job.max_attempts,
        job.crashes, job.rescues, job.fence, job.timeout, job.created_at, job.cancel_requested_at, job.unique_key,
        job.errors, job.retry, job.unknown_at
), claimed AS (
    SELECT * FROM taken
    UNION ALL
    SELECT job.seq, job.id, job.task, job.queue, job.priority, job.payload, job.meta, job.attempt, job.max_attempts,
        job.crashes, job.rescues, job.fence, job.timeout, job.created_at, job.cancel_requested_at, job.unique_key,
        job.errors, job.retry, job.unknown_at
    FROM windlass_job AS job
    WHERE job.state = 'running' AND job.lease = :lease AND job.claim = :token
    AND job.seq NOT IN (SELECT ended.seq FROM ended)
)
SELECT
    (SELECT json_build_array(json_build_array(count(*))) FROM ended) AS ended,
    (SELECT coalesce(json_agg(json_build_array(seq)), '[]') FROM marked) AS marked,
    (SELECT coalesce(json_agg(json_build_array(
            seq, id, task, queue, priority, payload, meta, attempt, max_attempts, crashes, rescues, fence, timeout,
            created_at, cancel_requested_at IS NOT NULL, unique_key, errors, retry, clock.now - unknown_at
        ) ORDER BY priority DESC, seq), '[]')
        FROM claimed, clock) AS claimed
