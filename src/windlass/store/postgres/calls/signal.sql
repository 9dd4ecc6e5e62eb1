-- Leaves word for one worker, or for all of them (:worker is null).
-- gives signalled
UPDATE windlass_worker SET signal = :signal, signalled_by = :by
-- Locked by id, as everybody does who writes several workers.
WHERE id = ANY (ARRAY(
    SELECT id FROM windlass_worker WHERE CAST(:worker AS text) IS NULL OR id = :worker OR name = :worker
    ORDER BY id FOR UPDATE))
RETURNING id
