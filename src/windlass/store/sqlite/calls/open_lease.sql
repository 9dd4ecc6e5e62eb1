-- 1. worker
-- Shows the worker, or shows it again after it lost a lease.
INSERT INTO windlass_worker (id, name, state, lease, started_at, seen_at, info)
VALUES (:worker, :name, :state, :lease, :now, :now, :info)
ON CONFLICT (id) DO UPDATE SET lease = :lease, state = :state, seen_at = :now, info = :info

-- 2. lease
-- Opens a lease for a worker.
INSERT INTO windlass_lease (id, worker, state, ttl, renewed_at) VALUES (:lease, :worker, 'open', :ttl, :now)
ON CONFLICT DO NOTHING
