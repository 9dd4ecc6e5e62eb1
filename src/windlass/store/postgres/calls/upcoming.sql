-- In how many milliseconds the next job is due and the next lease that holds something is over; a running job without
-- an open lease is overdue. And the time from which that is counted.
-- gives upcoming
WITH RECURSIVE clock AS (
    SELECT coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)) AS now
), holding AS (
    -- The leases that hold something, one step of the index each, however many jobs they hold.
    (SELECT lease FROM windlass_running ORDER BY lease LIMIT 1)
    UNION ALL
    SELECT (SELECT next.lease FROM windlass_running AS next WHERE next.lease > holding.lease
        ORDER BY next.lease LIMIT 1)
    FROM holding WHERE holding.lease IS NOT NULL
)
SELECT
    (SELECT min(run_at) FROM windlass_due) - now,
    (SELECT min(CASE WHEN lease.state = 'open' AND lease.renewed_at - lease.ttl <= now THEN lease.renewed_at + lease.ttl
            ELSE now END) - now
        FROM holding LEFT JOIN windlass_lease AS lease ON lease.id = holding.lease
        WHERE holding.lease IS NOT NULL),
    now
FROM clock
