-- Leases that hold nothing and have been over for a day.
DELETE FROM windlass_lease WHERE renewed_at + ttl < :now - 86400000
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE state = 'running' AND windlass_job.lease = windlass_lease.id)
