-- Ends a lease on its owner's word; worker and lease disappear at once. Jobs that it should still hold are rescued by
-- the next round of the rescue duty. The last order for the worker is returned now.
-- gives signal
WITH closed AS (DELETE FROM windlass_lease WHERE id = :lease)
DELETE FROM windlass_worker WHERE id = :worker RETURNING signal
