-- 1. let go
-- Lets go the jobs at these gates that wait for a concurrency key that is free.
-- :gates rows (key)
-- each gates (key)
-- gives let_go
-- here unblock
AND instr(gate, char(10)) > 0
RETURNING 1

-- 2. open
-- So that promote looks at jobs which wait for a token: the row of their rate may have been lost, or the clock went back.
-- :gates rows (key)
-- each gates (key)
INSERT INTO windlass_rate_gate (name, amount, period, burst, level, filled_at, full_at, opens_at)
SELECT :key, coalesce(amount, 1), coalesce(period, 1), coalesce(burst, 1), coalesce(burst * period, 1), :now, :now, :now
FROM (SELECT 1) LEFT JOIN windlass_rate_limit ON task = substr(:key, 1, instr(:key, char(9)) - 1)
WHERE instr(:key, char(9)) > 0 AND instr(:key, char(10)) = 0
AND EXISTS (SELECT 1 FROM windlass_job WHERE state = 'blocked' AND gate = :key)
ON CONFLICT (name) DO UPDATE SET
    level =
    -- here filled
    , filled_at = :now, opens_at = min(coalesce(opens_at, 9223372036854775807),
        -- here opening (ahead = 0)
    )
WHERE opens_at IS NULL OR opens_at >
    -- here opening (ahead = 0)

-- 3. ended parents
-- Has promote look at some of those that wait for a parent which a process of an earlier release has ended: it did not say so.
-- :gates rows (key)
-- each gates (key)
UPDATE windlass_edge SET state = 0
WHERE state = 1 AND :key = 'parents' AND child IN (
    SELECT child FROM windlass_edge
    WHERE state < 2 AND child >= (SELECT min(child) + abs(random()) % (1 + max(child) - min(child)) FROM windlass_edge WHERE state < 2)
    ORDER BY child LIMIT 200)
AND EXISTS (
    SELECT 1 FROM windlass_job AS parent WHERE parent.seq = windlass_edge.parent
    AND (parent.state = 'completed' OR (parent.state IN ('failed', 'cancelled') AND windlass_edge.policy <> 'wait')))
