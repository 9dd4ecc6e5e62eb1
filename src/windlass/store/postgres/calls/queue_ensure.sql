-- Seeds queues with what the code says, also those that only their first job has made; what an operator has set, or
-- taken back, stays.
-- :queues rows (name, weight, max_length, max_running, rate)
--
-- Workers ask for this when they start, and wait for no caller's transaction: a queue that another transaction is just
-- making or changing is passed by.
WITH wanted AS MATERIALIZED (
    SELECT ({queues.name}) COLLATE "C" AS name, CAST({queues.weight} AS integer) AS weight,
        CAST({queues.max_length} AS integer) AS max_length, CAST({queues.max_running} AS integer) AS max_running,
        {queues.rate} AS rate
    FROM jsonb_array_elements(CAST(:queues AS jsonb))
), unset AS MATERIALIZED (
    SELECT queue.name FROM windlass_queue AS queue JOIN wanted ON wanted.name = queue.name
    WHERE queue.changed_at IS NULL
    AND (queue.weight IS NULL AND wanted.weight IS NOT NULL
        OR queue.max_length IS NULL AND wanted.max_length IS NOT NULL
        OR queue.max_running IS NULL AND wanted.max_running IS NOT NULL
        OR queue.rate IS NULL AND wanted.rate IS NOT NULL)
    -- By name, as all calls lock queues.
    ORDER BY queue.name
    FOR UPDATE OF queue SKIP LOCKED
), seeded AS (
    UPDATE windlass_queue AS queue SET
        weight = coalesce(queue.weight, wanted.weight), max_length = coalesce(queue.max_length, wanted.max_length),
        max_running = coalesce(queue.max_running, wanted.max_running), rate = coalesce(queue.rate, wanted.rate)
    FROM unset JOIN wanted ON wanted.name = unset.name WHERE queue.name = unset.name
), missing AS MATERIALIZED (
    -- enqueue holds the lock in shared mode until the commit of what it makes.
    SELECT wanted.*, pg_try_advisory_xact_lock(hashtextextended('windlass_queue ' || wanted.name, 0)) AS is_ours
    FROM wanted
    WHERE NOT EXISTS (SELECT 1 FROM windlass_queue AS queue WHERE queue.name = wanted.name)
)
INSERT INTO windlass_queue (name, weight, max_length, max_running, rate)
SELECT name, weight, max_length, max_running, rate FROM missing WHERE is_ours ORDER BY name
ON CONFLICT DO NOTHING
