-- Jobs, their keys and events; leases and workers; queues; the leader.

CREATE TABLE windlass_job (
    -- AUTOINCREMENT: a seq is never given out twice, so a late writer cannot meet another job under its number.
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL,
    queue TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN (
        'scheduled', 'pending', 'blocked', 'running', 'retrying', 'completed', 'failed', 'cancelled')),
    reason TEXT,
    priority INTEGER NOT NULL DEFAULT 0,
    payload TEXT NOT NULL,
    meta TEXT,
    attempt INTEGER NOT NULL DEFAULT 0,
    max_attempts INTEGER NOT NULL,
    crashes INTEGER NOT NULL DEFAULT 0,
    rescues INTEGER NOT NULL DEFAULT 0,
    run_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    promoted_at INTEGER,
    claimed_at INTEGER,
    started_at INTEGER,
    finished_at INTEGER,
    timeout INTEGER,
    fence INTEGER NOT NULL DEFAULT 0,
    lease TEXT,
    claim TEXT,
    worker TEXT,
    cancel_requested_at INTEGER,
    unique_key TEXT,
    progress TEXT,
    result TEXT,
    errors TEXT,
    retry TEXT,
    unknown_at INTEGER
) STRICT;

-- Each state lies in exactly one of these, so a transition moves one entry and a count reads one index.
-- Only what may be claimed now: a claim costs the same beside a thousand and beside five million others.
CREATE INDEX windlass_job_ready ON windlass_job (queue, priority DESC, seq) WHERE state = 'pending';
CREATE INDEX windlass_job_due ON windlass_job (run_at, queue, state) WHERE state IN ('scheduled', 'retrying');
CREATE INDEX windlass_job_held ON windlass_job (lease, claim, queue) WHERE state = 'running';
CREATE INDEX windlass_job_finished ON windlass_job (state, queue, finished_at)
    WHERE state IN ('completed', 'failed', 'cancelled');
-- Dead letters are listed newest first and are few among the finished.
CREATE INDEX windlass_job_ended ON windlass_job (state, seq) WHERE state IN ('failed', 'cancelled');

CREATE TABLE windlass_key (
    key TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    until TEXT NOT NULL CHECK (until IN ('started', 'finished', 'window')),
    expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX windlass_key_expiry ON windlass_key (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX windlass_key_id ON windlass_key (id);

CREATE TABLE windlass_event (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    seq INTEGER,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    worker TEXT,
    fence INTEGER,
    detail TEXT
) STRICT;
CREATE INDEX windlass_event_job ON windlass_event (seq, number);
CREATE INDEX windlass_event_at ON windlass_event (at);

CREATE TABLE windlass_lease (
    id TEXT PRIMARY KEY,
    worker TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'lost')),
    ttl INTEGER NOT NULL,
    renewed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE windlass_worker (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    lease TEXT,
    started_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    signal TEXT,
    signalled_by TEXT,
    info TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE windlass_queue (
    -- The row '*' holds what is true for all queues.
    name TEXT PRIMARY KEY,
    weight INTEGER,
    max_length INTEGER,
    retention TEXT,
    retry TEXT,
    paused_at INTEGER,
    paused_by TEXT,
    paused_reason TEXT,
    changed_at INTEGER,
    changed_by TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE windlass_leader (
    duty TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    term INTEGER NOT NULL,
    ttl INTEGER NOT NULL,
    renewed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE windlass_archive (
    week TEXT NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    job TEXT NOT NULL,
    PRIMARY KEY (week, seq)
) STRICT, WITHOUT ROWID;
