-- Leaves the token of an operator who wants to see where the threads of a worker are, by its id or name.
-- gives asked
UPDATE windlass_worker SET stacks = :token WHERE id = :worker OR name = :worker RETURNING id
