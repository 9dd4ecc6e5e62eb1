-- Queues and their settings; the row '*' is what is true for all of them.
-- gives queues
SELECT {QueueRecord}
FROM windlass_queue WHERE CAST(:name AS text) IS NULL OR name = :name ORDER BY name
