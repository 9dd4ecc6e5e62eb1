-- 1. tell
-- Has the waits for new events looked at.
-- gives told
UPDATE windlass_step SET is_new = 1
WHERE event IN (SELECT name FROM windlass_sent WHERE is_new = 1) AND event IS NOT NULL AND ended_at IS NULL
RETURNING 1

-- 2. known
UPDATE windlass_sent SET is_new = 0 WHERE is_new = 1
