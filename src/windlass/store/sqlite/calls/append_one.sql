-- Stores one job into a queue that is there and has no limit: what most enqueues are. append does the same for many.
-- gives stored
INSERT INTO windlass_job (
    id, payload, task, queue, priority, meta, max_attempts, run_at, state, timeout, retry, created_at)
SELECT :id, :payload, :task, :queue, :priority, :meta, :max_attempts, :now + max(0, :delay),
    iif(:delay > 0, 'scheduled', 'pending'), :timeout, :retry, :now
FROM windlass_queue WHERE name = :queue AND max_length IS NULL
-- An id that is there is that of an earlier try whose answer was lost.
ON CONFLICT (id) DO NOTHING
RETURNING 1
