-- 1. lease
-- Ends a lease on its owner's word. Jobs that it should still hold are rescued by whoever comes next.
DELETE FROM windlass_lease WHERE id = :lease

-- 2. worker
-- A clean stop disappears at once; what somebody asked of it last is told to it now.
-- gives signal
DELETE FROM windlass_worker WHERE id = :worker RETURNING signal
