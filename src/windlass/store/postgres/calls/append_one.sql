-- Stores one job into a queue that is there and has no limit: what most enqueues are. append does the same for many.
-- gives stored
WITH
-- here clock
, stored AS (
    INSERT INTO windlass_job (id, payload, {JobTemplate; delay = run_at, waiting}, start_by, created_at)
    SELECT :id, :payload, {:JobTemplate;
        delay = now + greatest(0, CAST(:delay AS bigint)),
            CASE WHEN CAST(:delay AS bigint) > 0 THEN 'scheduled' ELSE 'pending' END;
        expires = CAST(:expires AS bigint)}, now + greatest(0, CAST(:delay AS bigint)) + CAST(:expires AS bigint), now
    FROM clock
    WHERE EXISTS (SELECT 1 FROM windlass_queue WHERE name = :queue AND max_length IS NULL)
    -- An id that is there is that of an earlier try whose answer was lost.
    ON CONFLICT (id) DO NOTHING
    RETURNING seq, run_at, waiting, priority, queue, start_by
),
-- here insert_waiting
SELECT 1 AS stored
-- here notify
FROM stored
