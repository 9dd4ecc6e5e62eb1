-- Opens the leases of what was taken just now.
INSERT INTO windlass_lease (id, worker, state, ttl, renewed_at)
SELECT lease, :worker, 'open', :ttl, :now FROM windlass_job
WHERE state = 'running' AND lease >= :token || ':' AND lease < :token || ';'
ON CONFLICT DO NOTHING
