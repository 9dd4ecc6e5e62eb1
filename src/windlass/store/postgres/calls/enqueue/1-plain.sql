-- Stores jobs that have neither an id of the caller's nor a unique key nor an instant, in the order of the call, into
-- queues that are there and have no limit: nearly every call, and short, because a server that keeps no prepared
-- statements plans it each time. Where a queue is new or limited it stores nothing.
-- :jobs rows (id, task, queue, priority, payload, meta, max_attempts, delay, timeout, key, retry, at)
-- :queues the names of the jobs' queues
-- only without named
-- enough is_stored
WITH clock AS (
    SELECT coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)) AS now
), plain AS MATERIALIZED (
    SELECT count(*) = jsonb_array_length(CAST(:queues AS jsonb)) AS is_plain FROM windlass_queue
    WHERE name = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:queues AS jsonb)))) AND max_length IS NULL
), stored AS (
    INSERT INTO windlass_job (
        id, task, queue, priority, payload, meta, max_attempts, run_at, waiting, timeout, retry, created_at)
    SELECT value ->> 0, value ->> 1, value ->> 2, CAST(value ->> 3 AS integer), value ->> 4, value ->> 5,
        CAST(value ->> 6 AS integer), clock.now + greatest(0, CAST(value ->> 7 AS bigint)),
        CASE WHEN CAST(value ->> 7 AS bigint) > 0 THEN 'scheduled' ELSE 'pending' END,
        CAST(value ->> 8 AS bigint), value ->> 10, clock.now
    FROM clock, jsonb_array_elements(CAST(:jobs AS jsonb)) WITH ORDINALITY AS item (value, place)
    WHERE (SELECT is_plain FROM plain)
    ORDER BY place
    -- An id that is there is that of an earlier try whose answer was lost.
    ON CONFLICT (id) DO NOTHING
    RETURNING seq, run_at, waiting, priority, queue
), ready AS (
    INSERT INTO windlass_ready (seq, since, priority, queue)
    SELECT seq, run_at, priority, queue FROM stored WHERE waiting = 'pending'
), due AS (
    INSERT INTO windlass_due (seq, run_at, state, queue)
    SELECT seq, run_at, waiting, queue FROM stored WHERE waiting = 'scheduled'
)
SELECT is_plain AS is_stored FROM plain
