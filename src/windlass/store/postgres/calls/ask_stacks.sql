-- Leaves the token of an operator who wants to see where the threads of a worker are, by its id or name.
-- gives asked
UPDATE windlass_worker SET stacks = :token
-- Locked by id, as in all calls that write several workers.
WHERE id = ANY (ARRAY(
    SELECT worker.id FROM windlass_worker AS worker WHERE worker.id = :worker OR worker.name = :worker
    ORDER BY worker.id FOR UPDATE))
RETURNING id
