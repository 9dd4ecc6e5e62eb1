-- Of the jobs of a task with the same concurrency key only so many run at once; the others are blocked meanwhile.

ALTER TABLE windlass_job ADD COLUMN concurrency_key TEXT;
-- 1 for a job that was unblocked: it holds its key, and is pending until it is claimed.
ALTER TABLE windlass_job ADD COLUMN promised INTEGER NOT NULL DEFAULT 0;

-- Tells how many jobs hold a key, and that there are none with a key, which is nearly always.
CREATE INDEX windlass_job_keyed ON windlass_job (concurrency_key, state, promised)
    WHERE concurrency_key IS NOT NULL AND state IN ('pending', 'blocked', 'running');

-- How many jobs of a task with the same key may run at once: what code declares, unless an operator says otherwise.
CREATE TABLE windlass_key_limit (
    task TEXT PRIMARY KEY,
    declared INTEGER,
    concurrency INTEGER,
    changed_at INTEGER,
    changed_by TEXT
) STRICT, WITHOUT ROWID;
