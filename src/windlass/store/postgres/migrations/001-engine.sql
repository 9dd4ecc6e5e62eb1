-- Jobs, their keys and events; leases and workers; queues; the leader.
--
-- One table holds a job for life, with the same partial indexes as on SQLite. Whether a narrow table of ready jobs
-- beside it pays is measured before the first release and may change this file; no migration is owed until then.
--
-- Text is compared byte by byte (COLLATE "C"): the order of locks and pages must not depend on the server's language.
-- Instants and lengths of time are milliseconds.

CREATE TABLE windlass_job (
    -- A sequence never goes back, so a late writer cannot meet another job under its number.
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    task text COLLATE "C" NOT NULL,
    queue text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN (
        'scheduled', 'pending', 'blocked', 'running', 'retrying', 'completed', 'failed', 'cancelled')),
    reason text COLLATE "C",
    priority integer NOT NULL DEFAULT 0,
    payload text COLLATE "C" NOT NULL,
    meta text COLLATE "C",
    attempt integer NOT NULL DEFAULT 0,
    max_attempts integer NOT NULL,
    crashes integer NOT NULL DEFAULT 0,
    rescues integer NOT NULL DEFAULT 0,
    run_at bigint NOT NULL,
    created_at bigint NOT NULL,
    promoted_at bigint,
    claimed_at bigint,
    started_at bigint,
    finished_at bigint,
    timeout bigint,
    fence bigint NOT NULL DEFAULT 0,
    lease text COLLATE "C",
    claim text COLLATE "C",
    worker text COLLATE "C",
    cancel_requested_at bigint,
    unique_key text COLLATE "C",
    progress text COLLATE "C",
    result text COLLATE "C",
    errors text COLLATE "C",
    retry text COLLATE "C",
    unknown_at bigint
);

-- Each state lies in exactly one of these, so a transition moves one entry and a count reads one index.
-- Only what may be claimed now: a claim costs the same beside a thousand and beside five million others.
CREATE INDEX job_ready ON windlass_job (queue, priority DESC, seq) WHERE state = 'pending';
CREATE INDEX job_due ON windlass_job (run_at, queue, state) WHERE state IN ('scheduled', 'retrying');
CREATE INDEX job_held ON windlass_job (lease, claim, queue) WHERE state = 'running';
CREATE INDEX job_finished ON windlass_job (state, queue, finished_at)
    WHERE state IN ('completed', 'failed', 'cancelled');
-- Dead letters are listed newest first and are few among the finished.
CREATE INDEX job_ended ON windlass_job (state, seq) WHERE state IN ('failed', 'cancelled');

CREATE TABLE windlass_key (
    key text COLLATE "C" PRIMARY KEY,
    id text COLLATE "C" NOT NULL,
    until text COLLATE "C" NOT NULL CHECK (until IN ('started', 'finished', 'window')),
    expires_at bigint
);
CREATE INDEX key_expiry ON windlass_key (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX key_id ON windlass_key (id);

CREATE TABLE windlass_event (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seq bigint,
    at bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    worker text COLLATE "C",
    fence bigint,
    detail text COLLATE "C"
);
CREATE INDEX event_job ON windlass_event (seq, number);
CREATE INDEX event_at ON windlass_event (at);

CREATE TABLE windlass_lease (
    id text COLLATE "C" PRIMARY KEY,
    worker text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('open', 'lost')),
    ttl bigint NOT NULL,
    renewed_at bigint NOT NULL
);

CREATE TABLE windlass_worker (
    id text COLLATE "C" PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    lease text COLLATE "C",
    started_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    signal text COLLATE "C",
    signalled_by text COLLATE "C",
    info text COLLATE "C" NOT NULL
);

CREATE TABLE windlass_queue (
    -- The row '*' holds what is true for all queues.
    name text COLLATE "C" PRIMARY KEY,
    weight integer,
    max_length integer,
    retention text COLLATE "C",
    retry text COLLATE "C",
    paused_at bigint,
    paused_by text COLLATE "C",
    paused_reason text COLLATE "C",
    changed_at bigint,
    changed_by text COLLATE "C",
    -- Grows with every enqueue into a queue that has a max_length, under the row's lock. It tells an enqueue that
    -- counted before it got the lock that its count is old.
    stored bigint NOT NULL DEFAULT 0
);

CREATE TABLE windlass_leader (
    duty text COLLATE "C" PRIMARY KEY,
    holder text COLLATE "C" NOT NULL,
    term bigint NOT NULL,
    ttl bigint NOT NULL,
    renewed_at bigint NOT NULL
);

CREATE TABLE windlass_archive (
    week text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    job text COLLATE "C" NOT NULL,
    PRIMARY KEY (week, seq)
);
