-- Removes a queue that has no jobs left; its settings go with it.
-- gives deleted
DELETE FROM windlass_queue
WHERE name = :name AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE queue = :name)
RETURNING name
