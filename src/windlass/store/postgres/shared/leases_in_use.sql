-- The leases that hold something, one step of the index each, however many jobs they hold. Needs RECURSIVE.
holding AS (
    (SELECT lease FROM windlass_running ORDER BY lease LIMIT 1)
    UNION ALL
    SELECT (SELECT next.lease FROM windlass_running AS next WHERE next.lease > holding.lease
        ORDER BY next.lease LIMIT 1)
    FROM holding WHERE holding.lease IS NOT NULL
)
