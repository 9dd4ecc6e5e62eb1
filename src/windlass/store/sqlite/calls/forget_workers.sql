-- Removes one lost worker, or all of them (:worker is null), from the lists. Its lease stays: its jobs are rescued as
-- those of any other, and should it live after all, its next heartbeat shows it again.
-- gives forgotten
DELETE FROM windlass_worker
WHERE (:worker IS NULL OR id = :worker OR name = :worker) AND NOT EXISTS (
    SELECT 1 FROM windlass_lease WHERE id = windlass_worker.lease AND
    -- here live_lease
)
RETURNING id
