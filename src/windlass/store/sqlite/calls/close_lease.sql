-- 1. lease
-- Ends a lease on its owner's word. Jobs that it should still hold are rescued by the next round of the rescue duty.
DELETE FROM windlass_lease WHERE id = :lease

-- 2. worker
-- A clean stop disappears at once; the last order for it is returned now.
-- gives signal
DELETE FROM windlass_worker WHERE id = :worker RETURNING signal
