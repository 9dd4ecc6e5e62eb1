-- Opens a lease for a worker and shows the worker, or shows it again after it lost a lease.
WITH
-- here clock
, opened AS (
    INSERT INTO windlass_lease (id, worker, state, ttl, renewed_at)
    SELECT CAST(:lease AS text), CAST(:worker AS text), 'open', CAST(:ttl AS bigint), now FROM clock
    ON CONFLICT DO NOTHING
)
INSERT INTO windlass_worker (id, name, state, lease, started_at, seen_at, info)
SELECT CAST(:worker AS text), CAST(:name AS text), CAST(:state AS text), CAST(:lease AS text), now, now,
    CAST(:info AS text)
FROM clock
ON CONFLICT (id) DO UPDATE
SET lease = excluded.lease, state = excluded.state, seen_at = excluded.seen_at, info = excluded.info
