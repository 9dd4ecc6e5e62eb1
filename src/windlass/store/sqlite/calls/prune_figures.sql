-- 1. bytes
-- How many bytes are removed: of each level (step) the buckets that begin before an instant, :limit at a time.
-- :bounds rows (step, before) as bound
-- binds gone
SELECT coalesce(sum(bytes), 0) FROM (
    -- here old_figures
)

-- 2. remove
-- :bounds rows (step, before) as bound
-- gives pruned
DELETE FROM windlass_figure WHERE rowid IN (
    SELECT number FROM (
        -- here old_figures
    ))
RETURNING 1

-- 3. sources
-- Workers that have sent nothing for long.
DELETE FROM windlass_figure_source WHERE number < :sources_before

-- 4. state
-- only if gone
UPDATE windlass_figure_state SET revision = revision + 1, bytes = max(0, bytes - :gone)
