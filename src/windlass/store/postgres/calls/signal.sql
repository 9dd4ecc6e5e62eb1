-- Leaves word for one worker, or for all of them (:worker is null). A stop is final: it reaches workers that live, and a
-- worker that was asked to stop is reached by nothing else.
-- gives signalled
WITH
-- here clock
UPDATE windlass_worker SET signal = :signal,
    signalled_by = CASE WHEN signal = 'stop' THEN signalled_by ELSE CAST(:by AS text) END
-- Locked by id, as in all calls that write several workers.
WHERE id = ANY (ARRAY(
    SELECT worker.id
    FROM clock, windlass_worker AS worker LEFT JOIN windlass_lease AS lease ON lease.id = worker.lease
    WHERE (CAST(:worker AS text) IS NULL OR worker.id = :worker OR worker.name = :worker)
    AND CASE WHEN CAST(:signal AS text) = 'stop'
        THEN
            -- here live_lease
        ELSE worker.signal IS DISTINCT FROM 'stop' END
    ORDER BY worker.id FOR UPDATE OF worker))
RETURNING id
