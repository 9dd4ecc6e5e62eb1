-- Sets how many jobs of a task may hold the same concurrency key, and keeps who did it; null lets the code decide again.
INSERT INTO windlass_key_limit (task, concurrency, changed_at, changed_by)
VALUES (:task, :concurrency, iif(:concurrency IS NULL, NULL, :now), iif(:concurrency IS NULL, NULL, :by))
ON CONFLICT (task) DO UPDATE SET
    concurrency = excluded.concurrency, changed_at = excluded.changed_at, changed_by = excluded.changed_by
