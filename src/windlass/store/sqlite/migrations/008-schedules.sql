-- Schedules, the ledger of their fires, and what each version of the code declares.

CREATE TABLE windlass_schedule (
    name TEXT PRIMARY KEY,
    task TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('code', 'hand')),
    definition TEXT NOT NULL,
    declared TEXT,
    -- Grows with every write; a writer names the one that it has seen.
    revision INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER,
    changed_by TEXT,
    paused_at INTEGER,
    paused_by TEXT,
    paused_reason TEXT,
    orphaned_at INTEGER,
    planned_at INTEGER NOT NULL,
    next_at INTEGER,
    due_at INTEGER,
    last_job TEXT,
    held_at INTEGER,
    held_for TEXT CHECK (held_for IN ('overlap', 'error')),
    fires INTEGER NOT NULL DEFAULT 0,
    zone_data TEXT
) STRICT;
-- A leader at rest asks for the smallest one.
CREATE INDEX windlass_schedule_due ON windlass_schedule (due_at, name) WHERE due_at IS NOT NULL;

CREATE TABLE windlass_fire (
    schedule TEXT NOT NULL,
    planned_at INTEGER NOT NULL,
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    job TEXT,
    last_at INTEGER,
    count INTEGER NOT NULL DEFAULT 1,
    -- No slot is decided about twice.
    PRIMARY KEY (schedule, planned_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE windlass_code_version (
    version TEXT PRIMARY KEY,
    first_seen INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    declared TEXT NOT NULL
) STRICT;
