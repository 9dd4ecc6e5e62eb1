-- 1. unsettled
-- only if awaited
-- binds unsettled
-- here unsettled (limit = 500)

-- here settle_edges
