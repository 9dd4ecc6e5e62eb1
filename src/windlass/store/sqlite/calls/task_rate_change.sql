-- 1. chosen
-- Sets the rate of a task, whatever the code says, and keeps who did it; null lets the code decide again.
-- :chosen [amount,period,burst], [] for no rate
-- :seen null, or when the caller has seen an operator's last change, 0 for none: nothing happens if there was another
-- gives changed
INSERT INTO windlass_task_rate (task, chosen, changed_at, changed_by)
SELECT :task, :chosen, iif(:chosen IS NULL, NULL, :now), iif(:chosen IS NULL, NULL, :by)
WHERE :seen IS NULL OR :seen = coalesce((SELECT changed_at FROM windlass_task_rate WHERE task = :task), 0)
ON CONFLICT (task) DO UPDATE SET
    chosen = excluded.chosen, changed_at = excluded.changed_at, changed_by = excluded.changed_by
RETURNING task

-- 2. forgotten
DELETE FROM windlass_task_rate WHERE task = :task AND declared IS NULL AND chosen IS NULL

-- here apply_rates
