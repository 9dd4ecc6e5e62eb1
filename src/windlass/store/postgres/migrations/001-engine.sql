-- Jobs, their keys and events; leases and workers; queues; the leader.
--
-- Where a job stands is said by the table that holds a row for it: ready, due, running or finished. A move takes the row
-- out of one and puts one into the next, so whoever gets to delete the row moves the job. The row in job stays for
-- life; on the common way (stored, claimed, completed) it is written once, so the widest table needs no cleaning up.
-- The view record puts the parts together. docs/postgresql-layout.md has the reasons.
--
-- Text is compared byte by byte (COLLATE "C"): the order of locks and pages must not depend on the server's language.
-- Instants and lengths of time are milliseconds.

-- What was asked for, and what earlier attempts have left behind.
CREATE TABLE windlass_job (
    -- A sequence never goes back, so a late writer cannot meet another job under its number.
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    created_at bigint NOT NULL,
    run_at bigint NOT NULL,
    promoted_at bigint,
    claimed_at bigint,
    started_at bigint,
    unknown_at bigint,
    timeout bigint,
    fence bigint NOT NULL DEFAULT 0,
    priority integer NOT NULL DEFAULT 0,
    attempt integer NOT NULL DEFAULT 0,
    max_attempts integer NOT NULL,
    crashes integer NOT NULL DEFAULT 0,
    rescues integer NOT NULL DEFAULT 0,
    id text COLLATE "C" NOT NULL UNIQUE,
    task text COLLATE "C" NOT NULL,
    queue text COLLATE "C" NOT NULL,
    -- How it waits, or waited last: of a running or finished job this is not the state.
    waiting text COLLATE "C" NOT NULL CHECK (waiting IN ('scheduled', 'pending', 'retrying', 'blocked')),
    reason text COLLATE "C",
    payload text COLLATE "C" NOT NULL,
    meta text COLLATE "C",
    unique_key text COLLATE "C",
    retry text COLLATE "C",
    worker text COLLATE "C",
    progress text COLLATE "C",
    errors text COLLATE "C"
) WITH (
    -- Prepared plans last until the next ANALYZE. One that was made for a table of some dozen rows would read all of
    -- a large one, so the first ANALYZE comes late; before it the planner takes an unknown table for a larger one.
    autovacuum_analyze_threshold = 5000
);

-- Pending jobs, in the order in which they are claimed: a claim costs the same beside a thousand and beside a million.
-- Rows are inserted and deleted, never updated.
CREATE TABLE windlass_ready (
    seq bigint NOT NULL,
    -- from when on it could have been claimed, had nothing been before it
    since bigint NOT NULL,
    priority integer NOT NULL,
    queue text COLLATE "C" NOT NULL
) WITH (vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE UNIQUE INDEX ready_next ON windlass_ready (queue, priority DESC, seq);

-- Jobs that wait for their time. Rows are inserted and deleted, never updated.
CREATE TABLE windlass_due (
    seq bigint NOT NULL,
    run_at bigint NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('scheduled', 'retrying')),
    queue text COLLATE "C" NOT NULL
) WITH (vacuum_truncate = off);
CREATE UNIQUE INDEX due_next ON windlass_due (run_at, seq);
CREATE INDEX due_queue ON windlass_due (queue);

-- Jobs that an owner has, with all that it takes to end them: an ending need not look at the job. No index but these
-- two, so that a start mark, progress and a request to cancel stay cheap.
CREATE TABLE windlass_running (
    seq bigint PRIMARY KEY,
    fence bigint NOT NULL,
    claimed_at bigint NOT NULL,
    started_at bigint,
    cancel_requested_at bigint,
    attempt integer NOT NULL,
    crashes integer NOT NULL,
    rescues integer NOT NULL,
    queue text COLLATE "C" NOT NULL,
    lease text COLLATE "C" NOT NULL,
    claim text COLLATE "C" NOT NULL,
    worker text COLLATE "C" NOT NULL,
    progress text COLLATE "C"
) WITH (
    fillfactor = 80, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX running_lease ON windlass_running (lease);

-- How jobs ended. Progress or errors that are null are those of the job. Rows are inserted and deleted, never updated.
CREATE TABLE windlass_finished (
    seq bigint PRIMARY KEY,
    fence bigint NOT NULL,
    finished_at bigint NOT NULL,
    claimed_at bigint,
    started_at bigint,
    cancel_requested_at bigint,
    attempt integer NOT NULL,
    crashes integer NOT NULL,
    rescues integer NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('completed', 'failed', 'cancelled')),
    queue text COLLATE "C" NOT NULL,
    reason text COLLATE "C",
    worker text COLLATE "C",
    progress text COLLATE "C",
    result text COLLATE "C",
    errors text COLLATE "C"
) WITH (autovacuum_analyze_threshold = 5000);
CREATE INDEX finished_queue ON windlass_finished (state, queue, finished_at, seq);
-- Dead letters are listed newest first and are few among the finished.
CREATE INDEX finished_dead ON windlass_finished (state, seq) WHERE state IN ('failed', 'cancelled');

-- Jobs as everybody but the engine's own moves should see them.
CREATE VIEW windlass_record AS
SELECT job.seq, job.id, job.task, job.queue,
    CASE WHEN running.seq IS NOT NULL THEN 'running' ELSE coalesce(finished.state, job.waiting) END
        COLLATE "C" AS state,
    CASE WHEN finished.seq IS NOT NULL THEN finished.reason ELSE job.reason END AS reason,
    job.priority, job.payload, job.meta,
    coalesce(running.attempt, finished.attempt, job.attempt) AS attempt,
    job.max_attempts,
    coalesce(running.crashes, finished.crashes, job.crashes) AS crashes,
    coalesce(running.rescues, finished.rescues, job.rescues) AS rescues,
    job.run_at, job.created_at, job.promoted_at,
    CASE WHEN finished.seq IS NOT NULL THEN finished.claimed_at
        ELSE coalesce(running.claimed_at, job.claimed_at) END AS claimed_at,
    -- a run that has not begun does not show when an earlier one did
    CASE WHEN running.seq IS NOT NULL THEN running.started_at
        WHEN finished.seq IS NOT NULL THEN finished.started_at ELSE job.started_at END AS started_at,
    finished.finished_at, job.timeout,
    coalesce(running.fence, finished.fence, job.fence) AS fence,
    running.lease, running.claim,
    CASE WHEN finished.seq IS NOT NULL THEN finished.worker ELSE coalesce(running.worker, job.worker) END AS worker,
    coalesce(running.cancel_requested_at, finished.cancel_requested_at) AS cancel_requested_at,
    job.unique_key,
    coalesce(running.progress, finished.progress, job.progress) AS progress,
    finished.result,
    coalesce(finished.errors, job.errors) AS errors,
    job.retry,
    CASE WHEN finished.seq IS NULL THEN job.unknown_at
        WHEN finished.reason = 'unknown_task' THEN coalesce(job.unknown_at, finished.finished_at) END AS unknown_at
FROM windlass_job AS job
LEFT JOIN windlass_running AS running ON running.seq = job.seq
LEFT JOIN windlass_finished AS finished ON finished.seq = job.seq;

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
