-- The next jobs of one queue in the order in which they would be claimed; takes nothing. Gives how much each holds, not the
-- jobs themselves: they are read by id, as many as one call can carry.
-- gives jobs
SELECT seq, id,
    -- here bytes_held
FROM (
    -- A suspect comes before the others of its priority.
    SELECT * FROM (
        SELECT *, 0 AS place FROM (
            SELECT * FROM windlass_whole WHERE queue = :queue AND state = 'pending' AND crashes + rescues > 0
            ORDER BY priority DESC, run_at, seq LIMIT :limit)
        UNION ALL
        SELECT *, 1 FROM (
            SELECT * FROM windlass_whole WHERE queue = :queue AND state = 'pending' AND crashes = 0 AND rescues = 0
            ORDER BY priority DESC, run_at, seq LIMIT :limit))
    ORDER BY priority DESC, place, run_at, seq LIMIT :limit
)
