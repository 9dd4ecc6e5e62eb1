-- Opens a lease for a worker.
INSERT INTO windlass_lease (id, worker, state, ttl, renewed_at) VALUES (:lease, :worker, 'open', :ttl, :now)
ON CONFLICT DO NOTHING
