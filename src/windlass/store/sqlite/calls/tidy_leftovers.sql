-- 1. worker
-- Workers that were lost more than a day ago, :limit at a time.
-- gives workers
DELETE FROM windlass_worker WHERE id IN (SELECT id FROM windlass_worker WHERE seen_at < :now - 86400000 LIMIT :limit)
RETURNING 1

-- 2. lease
-- Leases that hold nothing and have been over for a day, :limit at a time.
-- gives leases
DELETE FROM windlass_lease WHERE id IN (
    SELECT id FROM windlass_lease WHERE renewed_at + ttl < :now - 86400000
    AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE state = 'running' AND windlass_job.lease = windlass_lease.id)
    LIMIT :limit)
RETURNING 1
