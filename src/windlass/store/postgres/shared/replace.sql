-- Gives the arguments of new jobs to those that hold their keys, and for moves their times as well. Only a job that
-- waits for its first attempt takes them; one that is blocked becomes pending, and the next claim finds out what it
-- waits for; one that waits for parents stays as it is. Needs clock, there, kept, passed and stored.
--
-- The rows of ready and due are taken out and put in again, also where nothing moves: a claim that began before reads
-- the job as it was then, and must not find its row. Until the commit, which in a caller's transaction may take its
-- time, claims, promotions and what frees a gate pass these rows by.
, replacing AS MATERIALIZED (
    SELECT {replacing.Replacement; named; cast numbers as bigint;
            id = ({replacing.id}) COLLATE "C";
            unique_key = ({replacing.unique_key}) COLLATE "C";
            concurrency_key = ({replacing.concurrency_key}) COLLATE "C";
            rate_key = ({replacing.rate_key}) COLLATE "C";
            without delay, at},
        coalesce(CAST({replacing.at} AS bigint), clock.now + CAST({replacing.delay} AS bigint)) AS due_at
    FROM clock, jsonb_array_elements(CAST(:replacing AS jsonb))
), replacement AS MATERIALIZED (
    -- One that exists already changes nothing again.
    SELECT DISTINCT ON (kept.key) kept.id AS holder, replacing.*
    FROM replacing JOIN kept ON kept.key = replacing.unique_key
    WHERE replacing.id NOT IN (SELECT there.id FROM there)
    ORDER BY kept.key, replacing.rank
), target AS MATERIALIZED (
    -- What is stored by this call comes first: locks are taken in the order queues, keys, ready, due, blocked.
    SELECT job.place, job.seq, job.queue, job.priority, job.run_at, job.created_at, job.waiting, replacement.id AS source,
        replacement.payload, replacement.concurrency_key, replacement.rate_key, replacement.due_at, replacement.moves, replacement.max_wait,
        job.concurrency_key IS NOT DISTINCT FROM replacement.concurrency_key AS keeps_key
    FROM replacement CROSS JOIN LATERAL (
        SELECT job.ctid AS place, job.* FROM windlass_job AS job WHERE job.id = replacement.holder OFFSET 0) AS job
    WHERE job.task = replacement.task AND job.attempt = 0 AND job.has_steps IS NULL AND job.waiting IN ('pending', 'scheduled', 'blocked')
    AND job.reason IS DISTINCT FROM 'parents'
    AND EXISTS (SELECT 1 FROM passed) AND (SELECT count(*) FROM stored) >= 0
    ORDER BY job.seq
), target_ready AS MATERIALIZED (
    -- One that holds its concurrency key is about to run: it takes arguments of the same key, but no other time.
    SELECT target.seq, found.place, found.gate IS NOT NULL AS is_next FROM target CROSS JOIN LATERAL (
        SELECT ready.ctid AS place, ready.gate FROM windlass_ready AS ready
        WHERE ready.queue = target.queue AND ready.suspect = ANY (ARRAY[false, true])
        AND ready.priority = target.priority AND ready.since = target.run_at AND ready.seq = target.seq
        AND (ready.gate IS NULL OR target.keeps_key)
        FOR UPDATE) AS found
), target_due AS MATERIALIZED (
    SELECT target.seq, found.place FROM target CROSS JOIN LATERAL (
        SELECT due.ctid AS place FROM windlass_due AS due WHERE due.run_at = target.run_at AND due.seq = target.seq
        FOR UPDATE) AS found
    WHERE (SELECT count(*) FROM target_ready) >= 0
), target_blocked AS MATERIALIZED (
    SELECT target.seq, found.place FROM target CROSS JOIN LATERAL (
        SELECT blocked.ctid AS place FROM windlass_blocked AS blocked WHERE blocked.seq = target.seq
        FOR UPDATE) AS found
    WHERE (SELECT count(*) FROM target_due) >= 0
), from_blocked AS (
    DELETE FROM windlass_blocked AS gone USING target_blocked
    WHERE gone.ctid = target_blocked.place AND target_blocked.seq BETWEEN 0 AND 9223372036854775807
    RETURNING gone.seq
), from_ready AS (
    DELETE FROM windlass_ready AS gone USING target_ready
    WHERE gone.ctid = target_ready.place AND target_ready.seq BETWEEN 0 AND 9223372036854775807
    AND NOT target_ready.is_next
    RETURNING gone.seq
), from_due AS (
    DELETE FROM windlass_due AS gone USING target_due
    WHERE gone.ctid = target_due.place AND target_due.seq BETWEEN 0 AND 9223372036854775807
    RETURNING gone.seq
), still_next AS (
    -- The only rows of ready that are updated, for to delete one would give its key back. An older claim finds the new
    -- row in a place that it does not see, and takes nothing.
    UPDATE windlass_ready AS next SET since = next.since FROM target_ready
    WHERE next.ctid = target_ready.place AND target_ready.seq BETWEEN 0 AND 9223372036854775807
    AND target_ready.is_next
    RETURNING next.seq
), freed_target AS MATERIALIZED (
    SELECT target.*, target.seq IN (SELECT seq FROM still_next) AS is_next, CASE WHEN target.max_wait IS NULL THEN target.due_at
        -- A time that lies behind max_wait already is not brought forward by it.
        ELSE least(target.due_at, greatest(target.created_at + target.max_wait, target.run_at)) END AS wanted_at
    FROM target WHERE target.seq IN (
        SELECT seq FROM from_blocked UNION ALL SELECT seq FROM from_ready UNION ALL SELECT seq FROM from_due
        UNION ALL SELECT seq FROM still_next)
), replaced AS (
    -- By its place in the table: the job changes only together with the row that was taken out.
    UPDATE windlass_job AS job SET
        payload = target.payload, concurrency_key = target.concurrency_key, rate_key = target.rate_key,
        run_at = CASE WHEN target.moves = 0 OR target.is_next THEN job.run_at
            WHEN target.wanted_at > clock.now THEN target.wanted_at
            WHEN job.waiting = 'scheduled' THEN clock.now ELSE job.run_at END,
        -- The expiry counts from the new time, where there is one.
        start_by = CASE WHEN job.start_by IS NULL OR target.moves = 0 OR target.is_next THEN job.start_by
            WHEN target.wanted_at > clock.now THEN target.wanted_at + job.expires
            WHEN job.waiting = 'scheduled' THEN clock.now + job.expires ELSE job.start_by END,
        waiting = CASE WHEN target.is_next THEN 'pending'
            WHEN target.moves = 1 AND target.wanted_at > clock.now THEN 'scheduled'
            WHEN target.moves = 0 AND job.waiting = 'scheduled' THEN 'scheduled' ELSE 'pending' END,
        reason = CASE WHEN job.waiting <> 'blocked' THEN job.reason END
    FROM freed_target AS target, clock
    WHERE job.ctid = target.place AND target.seq BETWEEN 0 AND 9223372036854775807
    RETURNING job.seq, job.run_at, job.waiting, job.queue, job.priority, job.start_by,
        job.crashes + job.rescues > 0 AS suspect, target.source, target.is_next
), replaced_ready AS (
    INSERT INTO windlass_ready (seq, since, priority, queue, suspect, start_by)
    SELECT seq, run_at, priority, queue, suspect, start_by FROM replaced
    WHERE waiting = 'pending' AND NOT is_next
), replaced_due AS (
    INSERT INTO windlass_due (seq, run_at, state, queue, start_by)
    SELECT seq, run_at, waiting, queue, start_by FROM replaced WHERE waiting = 'scheduled'
), counted_again AS (
    -- One event for each job, however often it is replaced.
    UPDATE windlass_event AS event SET
        at = clock.now,
        detail = json_build_object('times', CAST(CAST(event.detail AS json) ->> 'times' AS bigint) + 1)
    FROM (
        SELECT earlier.place, replaced.seq FROM replaced CROSS JOIN LATERAL (
            SELECT event.ctid AS place FROM windlass_event AS event
            WHERE event.seq = replaced.seq AND event.kind = 'replaced' OFFSET 0) AS earlier) AS noted, clock
    WHERE event.ctid = noted.place AND noted.seq BETWEEN 0 AND 9223372036854775807
    RETURNING event.seq
), counted_first AS (
    INSERT INTO windlass_event (seq, at, kind, detail)
    SELECT replaced.seq, clock.now, 'replaced', json_build_object('times', 1) FROM replaced, clock
    WHERE replaced.seq NOT IN (SELECT seq FROM counted_again)
    ORDER BY replaced.seq
)
