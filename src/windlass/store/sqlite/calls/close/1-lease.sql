-- Ends a lease on its owner's word. Jobs that it should still hold are rescued by whoever comes next.
DELETE FROM windlass_lease WHERE id = :lease
