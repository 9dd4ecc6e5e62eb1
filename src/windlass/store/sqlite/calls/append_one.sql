-- Stores one job into a queue that is there and has no limit: what most enqueues are. append does the same for many.
-- gives stored
INSERT INTO windlass_job (id, payload, {JobTemplate; delay = run_at, state}, start_by, created_at)
SELECT :id, :payload, {:JobTemplate;
    delay = :now + max(0, :delay), iif(:delay > 0, 'scheduled', 'pending')},
    :now + max(0, :delay) + :expires, :now
FROM windlass_queue WHERE name = :queue AND max_length IS NULL
-- An id that is there is that of an earlier try whose answer was lost.
ON CONFLICT (id) DO NOTHING
RETURNING 1
