-- In how many milliseconds the next job is due and the next lease that holds something is over; a running job without
-- an open lease is overdue. And the time from which that is counted, how many workers have a lease in time, and the
-- first of these leases; those of claims by hand have a colon in their names.
-- gives upcoming
WITH RECURSIVE clock AS (
-- here clock
), holding AS (
-- here holding
)
SELECT
    (SELECT min(run_at) FROM windlass_due) - now,
    (SELECT min(CASE WHEN lease.state = 'open' AND lease.renewed_at - lease.ttl <= now THEN lease.renewed_at + lease.ttl
            ELSE now END) - now
        FROM holding LEFT JOIN windlass_lease AS lease ON lease.id = holding.lease
        WHERE holding.lease IS NOT NULL),
    now,
    live.count, live.first
FROM clock CROSS JOIN LATERAL (
    SELECT count(*) AS count, min(lease.id) AS first FROM windlass_lease AS lease
    WHERE lease.state = 'open' AND strpos(lease.id, ':') = 0
    AND lease.renewed_at - lease.ttl <= clock.now AND clock.now < lease.renewed_at + lease.ttl) AS live
