-- Removes one lost worker, or all of them (:worker is null), from the lists. Its lease stays: its jobs are rescued as
-- those of any other, and should it live after all, its next heartbeat shows it again.
-- gives forgotten
WITH
-- here clock
DELETE FROM windlass_worker
-- Locked by id, as in all calls that write several workers.
WHERE id = ANY (ARRAY(
    SELECT worker.id
    FROM clock, windlass_worker AS worker LEFT JOIN windlass_lease AS lease ON lease.id = worker.lease
    WHERE (CAST(:worker AS text) IS NULL OR worker.id = :worker OR worker.name = :worker)
    AND (
        -- here live_lease
    ) IS NOT TRUE
    ORDER BY worker.id FOR UPDATE OF worker))
RETURNING id
