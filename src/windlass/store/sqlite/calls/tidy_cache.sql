-- 1. crowded
-- Whether there are too many cached results. Nearly always there is room for all, and they need not be put in order.
-- :per_task, :in_all how many there may be; :bytes how many bytes all of them may have
-- binds crowded
SELECT count(*) > min(:per_task, :in_all) OR coalesce(sum(bytes), 0) > :bytes FROM windlass_key
WHERE cached_for IS NOT NULL AND expires_at IS NOT NULL

-- 2. drop
-- Lets go of those first whose time is over first, :limit at a time. Their jobs stay as long as retention keeps them.
-- only if crowded
-- gives dropped
DELETE FROM windlass_key WHERE key IN (
    SELECT key FROM (
        SELECT key, expires_at, sum(bytes) OVER newest AS bytes, row_number() OVER newest AS number,
            row_number() OVER (
                PARTITION BY substr(key, 1, instr(key, '#')) ORDER BY expires_at DESC, key) AS in_task
        FROM windlass_key WHERE cached_for IS NOT NULL AND expires_at IS NOT NULL
        WINDOW newest AS (ORDER BY expires_at DESC, key ROWS UNBOUNDED PRECEDING))
    WHERE in_task > :per_task OR number > :in_all OR bytes > :bytes
    ORDER BY expires_at, key LIMIT :limit)
RETURNING 1
