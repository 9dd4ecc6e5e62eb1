-- Ends a lease on its owner's word; worker and lease disappear at once. Jobs that it should still hold are rescued by
-- whoever comes next. What somebody asked of the worker last is told to it now.
-- gives signal
WITH closed AS (DELETE FROM windlass_lease WHERE id = :lease)
DELETE FROM windlass_worker WHERE id = :worker RETURNING signal
