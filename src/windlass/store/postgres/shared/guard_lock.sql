-- The number of the advisory lock of one job: held by callers' transactions that commit only while the job is theirs
-- (guard), and asked for by whatever takes a running job away from its owner (rescue).
    hashtextextended('windlass_guard ' || {seq}, 0)
