-- Takes the next jobs of each requested queue without a shut gate: their rows of ready go. Needs clock, lease and ended, and
-- gives begun; where the id is null the row of job is gone, and a gate is that of a job which holds its concurrency key
-- already. And limits, those of queues that this call touches; {before} is what is locked last before these.
touched AS MATERIALIZED (
    SELECT ended.queue, false AS is_asked FROM ended WHERE (SELECT count(*) FROM {before}) >= 0
    UNION ALL
    SELECT {requests.queue}, true FROM jsonb_array_elements(CAST(:requests AS jsonb))
    WHERE (SELECT count(*) FROM {before}) >= 0
),
-- here limits, rates
, limits AS MATERIALIZED (
    -- What this call has ended makes room for what it takes.
    SELECT gate.name, gate.max_running, gate.running AS counted,
        gate.running - (SELECT count(*) FROM ended WHERE gate.name IN ('*', ended.queue)) AS running
    FROM gate
), request AS MATERIALIZED (
    SELECT jsonb_typeof(value) AS kind, {requests.queue} AS queue, CAST({requests.number} AS integer) AS number
    FROM jsonb_array_elements(CAST(:requests AS jsonb))
    WHERE EXISTS (SELECT 1 FROM lease) AND jsonb_typeof(value) = 'array' AND CAST({requests.number} AS integer) > 0
    AND NOT EXISTS (
        -- here queue_gates (queue = {requests.queue}, limits = limits, rates = rate)
    )
), room AS MATERIALIZED (
    -- How many jobs of each queue may be taken now.
    SELECT request.kind, request.queue, least(
            request.number,
            (SELECT limits.max_running - limits.running FROM limits WHERE limits.name = request.queue),
            (SELECT (
                -- here filled (rate = rate)
                ) / rate.period FROM rate WHERE rate.name = request.queue)) AS number
    FROM request
), suspect AS MATERIALIZED (
    -- At most one for the whole call.
    SELECT room.kind, room.queue, next.place FROM room CROSS JOIN LATERAL (
        SELECT ready.ctid AS place FROM windlass_ready AS ready
        WHERE ready.queue = room.queue AND ready.suspect AND ready.seq BETWEEN 0 AND 9223372036854775807
        AND
            -- here suspect_turn (suspect = ready, queue = room.queue)
        ORDER BY ready.priority DESC, ready.since, ready.seq LIMIT 1
        FOR UPDATE SKIP LOCKED) AS next
    WHERE CAST(:takes_suspect AS integer) = 1
    -- nearly always there is none, and no queue has to be looked into
    AND (SELECT other.queue FROM windlass_ready AS other WHERE other.suspect ORDER BY other.queue LIMIT 1) IS NOT NULL
    LIMIT 1
), picked AS MATERIALIZED (
    SELECT suspect.kind, suspect.place FROM suspect
    UNION ALL
    -- By priority and then by when they became ready. Locked inside each branch, with that queue's own limit: rows that
    -- were merged first and locked later come back empty or twice.
    SELECT room.kind, next.place FROM room CROSS JOIN LATERAL (
        SELECT ready.ctid AS place FROM windlass_ready AS ready
        WHERE ready.queue = room.queue AND NOT ready.suspect AND ready.seq BETWEEN 0 AND 9223372036854775807
        ORDER BY ready.priority DESC, ready.since, ready.seq
        LIMIT room.number - (SELECT count(*) FROM suspect WHERE suspect.queue = room.queue)
        FOR UPDATE SKIP LOCKED) AS next
), taken AS (
    -- By their place in the table: they are locked, and such a row is never updated.
    DELETE FROM windlass_ready AS ready USING (
        -- What goes over the limit of all queues stays; who else claims waits for that limit's row.
        SELECT picked.kind, picked.place FROM picked
        LIMIT (SELECT greatest(0, limits.max_running - limits.running) FROM limits WHERE limits.name = '*')) AS picked
    WHERE ready.ctid = picked.place AND picked.kind = 'array'
    RETURNING ready.seq, ready.queue, ready.since, ready.suspect, ready.gate, ready.rate_gate
), begun AS MATERIALIZED (
    -- A pending job's row does not change while its row of ready is there.
    SELECT {asked.Claimed; seq = taken.seq; queue = taken.queue; unknown_for = asked.unknown_at;
        expires_in = asked.start_by;
        without wants_cancel, waited, is_charged}, taken.since, taken.suspect, taken.gate, taken.rate_gate
    FROM taken LEFT JOIN LATERAL (
        SELECT {Claimed; fence = fence + 1 AS fence; unknown_for = unknown_at; expires_in = start_by;
            without seq, queue, wants_cancel, waited, is_charged}
        FROM windlass_job AS job WHERE job.seq = taken.seq OFFSET 0) AS asked ON true
)
