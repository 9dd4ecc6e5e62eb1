-- Named limits with their token buckets, the callers that wait for a token, and cool-downs.

CREATE TABLE windlass_limit (
    name TEXT PRIMARY KEY,
    amount INTEGER NOT NULL,
    period INTEGER NOT NULL,
    burst INTEGER NOT NULL,
    -- In units: a token has as many as its period has milliseconds, and a millisecond brings amount of them.
    level INTEGER NOT NULL,
    filled_at INTEGER NOT NULL,
    changed_at INTEGER,
    changed_by TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE windlass_waiter (
    name TEXT NOT NULL,
    id TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (name, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE windlass_cooldown (
    scope TEXT NOT NULL CHECK (scope IN ('queue', 'task', 'limit')),
    name TEXT NOT NULL,
    began_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    -- The length of the last one that no task has chosen; the next is twice as long.
    step INTEGER,
    run TEXT NOT NULL,
    job TEXT NOT NULL,
    reason TEXT,
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;

-- How long a queue cools down.
ALTER TABLE windlass_queue ADD COLUMN cooldown TEXT;
