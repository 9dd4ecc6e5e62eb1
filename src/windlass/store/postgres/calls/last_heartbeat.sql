-- When the worker that holds a job was last heard of.
-- gives renewed_at
SELECT lease.renewed_at FROM windlass_running AS running JOIN windlass_lease AS lease ON lease.id = running.lease
WHERE running.seq = CAST(:seq AS bigint)
