-- Sets rate, burst or both, and keeps who did it. A bucket begins full; whole tokens survive a change, as far as there is
-- room for them.
-- :amount, :period, :burst null for what stays as it is
-- :first_burst the burst of a limit that is new and is given none
-- :seen null, or when the caller has seen an operator's last change, 0 for none: nothing happens if there was another
-- gives changed
INSERT INTO windlass_limit (name, amount, period, burst, level, filled_at, changed_at, changed_by)
SELECT :name, coalesce(:amount, amount), coalesce(:period, period), coalesce(:burst, burst, :first_burst),
    coalesce(:burst, burst, :first_burst) * coalesce(:period, period), :now, :now, :by
FROM (SELECT 1) LEFT JOIN windlass_limit ON name = :name
WHERE (:amount IS NOT NULL OR name IS NOT NULL) AND (:seen IS NULL OR coalesce(changed_at, 0) = :seen)
ON CONFLICT (name) DO UPDATE SET
    amount = excluded.amount, period = excluded.period, burst = excluded.burst, filled_at = :now,
    changed_at = excluded.changed_at, changed_by = excluded.changed_by,
    level = min(excluded.burst, (
        -- here filled
    ) / period) * excluded.period
RETURNING name
