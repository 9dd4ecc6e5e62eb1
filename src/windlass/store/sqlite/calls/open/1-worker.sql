-- Shows the worker, or shows it again after it lost a lease.
INSERT INTO windlass_worker (id, name, state, lease, started_at, seen_at, info)
VALUES (:worker, :name, :state, :lease, :now, :now, :info)
ON CONFLICT (id) DO UPDATE SET lease = :lease, state = :state, seen_at = :now, info = :info
