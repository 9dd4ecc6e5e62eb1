-- Stores jobs under common terms, in the order of the call, into a queue that is there and has no limit: nearly every
-- enqueue, and short, because a server that keeps no prepared statements plans it each time.
-- :jobs rows (id, payload)
-- gives stored
WITH
-- here clock
, terms AS MATERIALIZED (
    SELECT now, greatest(0, CAST(:delay AS bigint)) AS delay FROM clock
    WHERE EXISTS (SELECT 1 FROM windlass_queue WHERE name = :queue AND max_length IS NULL)
), stored AS (
    INSERT INTO windlass_job (id, payload, {JobTemplate; delay = run_at, waiting}, start_by, created_at)
    SELECT {jobs.id}, {jobs.payload}, {:JobTemplate;
        delay = now + delay, CASE WHEN delay > 0 THEN 'scheduled' ELSE 'pending' END;
        expires = CAST(:expires AS bigint)}, now + delay + CAST(:expires AS bigint), now
    FROM terms, jsonb_array_elements(CAST(:jobs AS jsonb)) WITH ORDINALITY AS item (value, place)
    ORDER BY place
    -- An id that is there is that of an earlier try whose answer was lost.
    ON CONFLICT (id) DO NOTHING
    RETURNING seq, run_at, waiting, priority, queue, start_by
),
-- here insert_waiting
SELECT 1 AS stored
-- here notify
FROM terms
