-- A manual claim, for a caller that runs the jobs itself: each gets a lease of its own and is charged at once. The lease
-- is named token:seq:fence, so that a job that the same token takes again does not get its old one back.
-- :queues rows (queue), served in this order
-- :limit how many; what this token already holds counts, so that a repeated call takes nothing twice
-- :gates rows (key), none
-- gives claimed as json
-- gives blocked
-- gives vanished
--
-- OFFSET 0, the kind of a list and the numbers of a seq are there for the planner, as in cycle (full).
WITH
-- here clock
, held AS MATERIALIZED (
    SELECT seq FROM windlass_running
    WHERE lease >= CAST(:token AS text) || ':' AND lease < CAST(:token AS text) || ';'
), touched AS MATERIALIZED (
    SELECT {queues.queue} AS queue, true AS is_asked FROM jsonb_array_elements(CAST(:queues AS jsonb))
),
-- here limits, rates
, room AS MATERIALIZED (
    -- How many jobs may be taken now: of each queue, and of all together.
    SELECT jsonb_typeof(value) AS kind, {queues.queue} AS queue, place,
        least((SELECT gate.max_running - gate.running FROM gate WHERE gate.name = {queues.queue}), (
            SELECT (
                -- here filled (rate = rate)
            ) / rate.period FROM rate WHERE rate.name = {queues.queue})) AS of_queue,
        least(
            greatest(0, CAST(:limit AS bigint) - (SELECT count(*) FROM held)),
            (SELECT gate.max_running - gate.running FROM gate WHERE gate.name = '*')) AS room
    FROM jsonb_array_elements(CAST(:queues AS jsonb)) WITH ORDINALITY AS item (value, place)
    WHERE NOT EXISTS (
        -- here queue_gates (queue = {queues.queue}, limits = gate, rates = rate)
    )
), picked AS MATERIALIZED (
    -- Every queue offers as much as all may give together; what goes over the limit stays, and is locked for a moment.
    SELECT room.kind, next.place, room.place AS turn, next.priority, next.since, next.seq, room.room, room.of_queue
    -- A manual claim takes suspects like all others; each of both places is walked in its order.
    FROM room CROSS JOIN (VALUES (false), (true)) AS part (suspect) CROSS JOIN LATERAL (
        SELECT ready.ctid AS place, ready.priority, ready.since, ready.seq FROM windlass_ready AS ready
        WHERE ready.queue = room.queue AND ready.suspect = part.suspect AND ready.seq BETWEEN 0 AND 9223372036854775807
        ORDER BY ready.priority DESC, ready.since, ready.seq LIMIT room.room
        FOR UPDATE SKIP LOCKED) AS next
), numbered AS (
    -- Suspects and others of a queue are limited together.
    SELECT picked.*,
        row_number() OVER (PARTITION BY picked.turn ORDER BY picked.priority DESC, picked.since, picked.seq) AS number
    FROM picked
), taken AS (
    DELETE FROM windlass_ready AS ready USING (
        SELECT picked.place FROM numbered AS picked
        WHERE picked.kind = 'array' AND (picked.of_queue IS NULL OR picked.number <= picked.of_queue)
        ORDER BY picked.turn, picked.priority DESC, picked.since, picked.seq
        LIMIT (SELECT max(picked.room) FROM picked)) AS first
    WHERE ready.ctid = first.place
    RETURNING ready.seq, ready.queue, ready.since, ready.suspect, ready.gate, ready.rate_gate
), begun AS MATERIALIZED (
    SELECT asked.*, taken.since, taken.suspect, taken.gate, taken.rate_gate FROM taken CROSS JOIN LATERAL (
        SELECT {Claimed; attempt = attempt + 1 AS attempt; fence = fence + 1 AS fence; unknown_for = unknown_at;
            expires_in = start_by;
            without wants_cancel, waited, is_charged}, run_at
        FROM windlass_job AS job WHERE job.seq = taken.seq OFFSET 0) AS asked
),
-- here rate_keys, keys (after = gate, first = begun.priority)
, granted AS MATERIALIZED (
    SELECT * FROM begun WHERE seq NOT IN (SELECT refused.seq FROM refused)
), opened AS (
    INSERT INTO windlass_lease (id, worker, state, ttl, renewed_at)
    SELECT CAST(:token AS text) || ':' || seq || ':' || fence, CAST(:worker AS text), 'open', CAST(:ttl AS bigint),
        clock.now
    FROM granted, clock
), owned AS (
    INSERT INTO windlass_running (
        seq, fence, claimed_at, started_at, attempt, crashes, rescues, queue, lease, claim, worker, gate)
    SELECT seq, fence, claimed_at, claimed_at, attempt, crashes, rescues, queue,
        CAST(:token AS text) || ':' || seq || ':' || fence, CAST(:token AS text), CAST(:worker AS text), concurrency_key
    FROM (
        SELECT granted.*,
            -- here claimed_at (key = concurrency_key, queue = queue)
            AS claimed_at
        FROM granted, clock) AS granted
), counted AS (
    UPDATE windlass_gate AS gate SET running = gate.running + added.number
    FROM (
        SELECT gate.name, (SELECT count(*) FROM granted WHERE gate.name IN ('*', granted.queue)) AS number FROM gate
    ) AS added
    WHERE gate.name = added.name AND added.number > 0
),
-- here spend, spend_rates (granted = granted)
, claimed AS (
    SELECT {Claimed; unknown_for = unknown_at; expires_in = start_by; waited = greatest(0, clock.now - since) AS waited;
            without wants_cancel, is_charged}, run_at,
        false AS wants_cancel
    FROM granted, clock
    UNION ALL
    SELECT known.* FROM held CROSS JOIN LATERAL (
        SELECT {Claimed; unknown_for = unknown_at; expires_in = start_by; waited = greatest(0, claimed_at - run_at);
                without wants_cancel, is_charged}, run_at,
            cancel_requested_at IS NOT NULL
        FROM windlass_record AS record WHERE record.seq = held.seq OFFSET 0) AS known
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({Claimed;
            unknown_for = clock.now - unknown_at;
            expires_in = start_by - clock.now;
            is_charged = true}) ORDER BY priority DESC, run_at, seq), '[]')
        FROM claimed, clock WHERE (SELECT count(*) FROM paid) >= 0) AS claimed,
    -- here blocked_rows
    ,
    -- Jobs whose rows were deleted.
    (SELECT json_agg(json_build_array(seq, queue, 'pending') ORDER BY seq) FROM taken
        WHERE taken.seq NOT IN (SELECT begun.seq FROM begun)) AS vanished
