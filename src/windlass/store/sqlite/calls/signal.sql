-- Leaves word for one worker, or for all of them (:worker is null).
-- gives signalled
UPDATE windlass_worker SET signal = :signal, signalled_by = :by
WHERE :worker IS NULL OR id = :worker OR name = :worker
RETURNING id
