-- Removes a queue that has no jobs left; its settings go with it.
-- gives deleted
DELETE FROM windlass_queue AS queue
WHERE queue.name = :name
AND NOT EXISTS (SELECT 1 FROM windlass_ready AS ready WHERE ready.queue = queue.name)
AND NOT EXISTS (SELECT 1 FROM windlass_due AS due WHERE due.queue = queue.name)
AND NOT EXISTS (SELECT 1 FROM windlass_running AS running WHERE running.queue = queue.name)
AND NOT EXISTS (
    SELECT 1 FROM windlass_finished AS finished
    WHERE finished.state IN ('completed', 'failed', 'cancelled') AND finished.queue = queue.name)
AND NOT EXISTS (SELECT 1 FROM windlass_blocked AS blocked WHERE blocked.queue = queue.name)
RETURNING queue.name
