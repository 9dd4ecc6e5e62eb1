-- Sets queues up as the code says, also those that only their first job has made; settings that an operator has changed, or
-- taken back, stay.
-- :queues rows (name, weight, max_length, max_running, rate, retention, retry, cooldown)
--
-- Workers ask for this when they start, and wait for no caller's transaction: a queue that another transaction is just
-- making or changing is passed by.
WITH wanted AS MATERIALIZED (
    SELECT ({queues.name}) COLLATE "C" AS name, CAST({queues.weight} AS integer) AS weight,
        CAST({queues.max_length} AS integer) AS max_length, CAST({queues.max_running} AS integer) AS max_running,
        {queues.rate} AS rate, {queues.retention} AS retention, {queues.retry} AS retry, {queues.cooldown} AS cooldown
    FROM jsonb_array_elements(CAST(:queues AS jsonb))
), outdated AS MATERIALIZED (
    SELECT queue.name FROM windlass_queue AS queue JOIN wanted ON wanted.name = queue.name
    WHERE CAST(coalesce(queue.decided, '{}') AS jsonb) ?& ARRAY['weight', 'max_length', 'max_running', 'rate',
        'retention', 'retry', 'cooldown'] IS FALSE
    AND (coalesce(wanted.weight, queue.weight) IS DISTINCT FROM queue.weight
        OR coalesce(wanted.max_length, queue.max_length) IS DISTINCT FROM queue.max_length
        OR coalesce(wanted.max_running, queue.max_running) IS DISTINCT FROM queue.max_running
        OR coalesce(wanted.rate, queue.rate) IS DISTINCT FROM queue.rate
        OR coalesce(wanted.retention, queue.retention) IS DISTINCT FROM queue.retention
        OR coalesce(wanted.retry, queue.retry) IS DISTINCT FROM queue.retry
        OR coalesce(wanted.cooldown, queue.cooldown) IS DISTINCT FROM queue.cooldown)
    -- By name, as all calls lock queues.
    ORDER BY queue.name
    FOR UPDATE OF queue SKIP LOCKED
), seeded AS (
    UPDATE windlass_queue AS queue SET (weight, max_length, max_running, rate, retention, retry, cooldown) = (
        SELECT CASE WHEN settings ? 'weight' THEN queue.weight ELSE coalesce(wanted.weight, queue.weight) END,
            CASE WHEN settings ? 'max_length' THEN queue.max_length
                ELSE coalesce(wanted.max_length, queue.max_length) END,
            CASE WHEN settings ? 'max_running' THEN queue.max_running
                ELSE coalesce(wanted.max_running, queue.max_running) END,
            CASE WHEN settings ? 'rate' THEN queue.rate ELSE coalesce(wanted.rate, queue.rate) END,
            CASE WHEN settings ? 'retention' THEN queue.retention ELSE coalesce(wanted.retention, queue.retention) END,
            CASE WHEN settings ? 'retry' THEN queue.retry ELSE coalesce(wanted.retry, queue.retry) END,
            CASE WHEN settings ? 'cooldown' THEN queue.cooldown ELSE coalesce(wanted.cooldown, queue.cooldown) END
        FROM (SELECT CAST(coalesce(queue.decided, '{}') AS jsonb) AS settings) AS decided)
    FROM outdated JOIN wanted ON wanted.name = outdated.name WHERE queue.name = outdated.name
), missing AS MATERIALIZED (
    -- enqueue holds the lock in shared mode until the commit of what it makes.
    SELECT wanted.*, pg_try_advisory_xact_lock(hashtextextended('windlass_queue ' || wanted.name, 0)) AS is_ours
    FROM wanted
    WHERE NOT EXISTS (SELECT 1 FROM windlass_queue AS queue WHERE queue.name = wanted.name)
)
INSERT INTO windlass_queue (name, weight, max_length, max_running, rate, retention, retry, cooldown)
SELECT name, weight, max_length, max_running, rate, retention, retry, cooldown FROM missing WHERE is_ours ORDER BY name
ON CONFLICT DO NOTHING
