-- Of the jobs of a task with the same concurrency key only so many run at once; the others are blocked meanwhile. Releases
-- that know fewer steps go on: they take jobs without asking for keys, and what they end is counted by the triggers here.
-- compatible from 1

ALTER TABLE windlass_job ADD COLUMN concurrency_key text COLLATE "C";
-- The key that a run holds, and that of a job that was unblocked: it holds its key until it is claimed.
ALTER TABLE windlass_running ADD COLUMN gate text COLLATE "C";
ALTER TABLE windlass_ready ADD COLUMN gate text COLLATE "C";

-- Keys that jobs hold, each with how many; one that no job holds has no row. A claim adds to it under the row's lock, and
-- leaves behind how many of the jobs that it asked for were granted, and how many the limit was.
CREATE TABLE windlass_key_gate (
    name text COLLATE "C" PRIMARY KEY,
    running integer NOT NULL,
    granted integer NOT NULL,
    most integer NOT NULL
) WITH (fillfactor = 50, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- How many jobs of a task with the same key may run at once: what code declares, unless an operator says otherwise.
CREATE TABLE windlass_key_limit (
    task text COLLATE "C" PRIMARY KEY,
    declared integer,
    concurrency integer,
    changed_at bigint,
    changed_by text COLLATE "C"
);

-- Gives a key back, as often as is said, and lets as many of the jobs that wait for it go as may hold it, in the order of
-- claims. Each of its parts sees what was committed before it: under the lock of the gate nothing of the key changes.
CREATE FUNCTION windlass_free_key(freed text, times integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    held integer;
    most integer;
    next record;
    let_go integer := 0;
BEGIN
    SELECT gate.running - times INTO held FROM windlass_key_gate AS gate WHERE gate.name = freed FOR UPDATE;
    held := greatest(coalesce(held, 0), 0);
    SELECT coalesce(max(coalesce(key.concurrency, key.declared)), 1) INTO most
    FROM windlass_key_limit AS key WHERE key.task = split_part(freed, E'\n', 1);
    WHILE held < most LOOP
        DELETE FROM windlass_blocked AS blocked WHERE blocked.seq = (
            SELECT first.seq FROM windlass_blocked AS first
            WHERE first.gate = freed AND first.seq BETWEEN 0 AND 9223372036854775807
            ORDER BY first.priority DESC, first.since, first.seq LIMIT 1
            -- one that expires at this moment
            FOR UPDATE SKIP LOCKED)
        RETURNING blocked.* INTO next;
        EXIT WHEN NOT FOUND;
        UPDATE windlass_job AS job SET waiting = 'pending', reason = NULL
        WHERE job.seq = next.seq AND job.waiting = 'blocked'
        -- an earlier release may have ended it, which knows no rows of blocked
        AND NOT EXISTS (SELECT 1 FROM windlass_finished AS finished WHERE finished.seq = next.seq);
        IF FOUND THEN
            INSERT INTO windlass_ready (seq, since, priority, queue, suspect, start_by, gate)
            VALUES (next.seq, next.since, next.priority, next.queue, next.suspect, next.start_by, freed);
            held := held + 1;
            let_go := let_go + 1;
        END IF;
    END LOOP;
    IF held = 0 THEN
        DELETE FROM windlass_key_gate AS gate WHERE gate.name = freed;
    ELSE
        INSERT INTO windlass_key_gate AS gate (name, running, granted, most) VALUES (freed, held, 0, most)
        ON CONFLICT (name) DO UPDATE SET running = held;
    END IF;
    RETURN let_go;
END
$$;

-- Whatever ends a run, by hand too, gives its key back when the statement is done.
CREATE FUNCTION windlass_run_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM windlass_free_key(OLD.gate, 1);
    RETURN NULL;
END
$$;
CREATE TRIGGER free_key AFTER DELETE ON windlass_running
FOR EACH ROW WHEN (OLD.gate IS NOT NULL) EXECUTE FUNCTION windlass_run_ended();

-- So does whatever takes a job away that was to run next, unless it is its claim.
CREATE FUNCTION windlass_turn_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM windlass_running AS running WHERE running.seq = OLD.seq) THEN
        PERFORM windlass_free_key(OLD.gate, 1);
    ELSE
        -- An earlier release claims without a word of the key.
        UPDATE windlass_running AS running SET gate = OLD.gate WHERE running.seq = OLD.seq AND running.gate IS NULL;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER free_key AFTER DELETE ON windlass_ready
FOR EACH ROW WHEN (OLD.gate IS NOT NULL) EXECUTE FUNCTION windlass_turn_ended();

-- Jobs as everybody but the engine's own moves should see them.
CREATE OR REPLACE VIEW windlass_record AS
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
        WHEN finished.reason = 'unknown_task' THEN coalesce(job.unknown_at, finished.finished_at) END AS unknown_at,
    job.tags,
    CAST(coalesce(finished.attempts, job.attempts) AS text) COLLATE "C" AS attempts,
    job.expires, job.start_by,
    job.concurrency_key
FROM windlass_job AS job
LEFT JOIN windlass_running AS running ON running.seq = job.seq
LEFT JOIN windlass_finished AS finished ON finished.seq = job.seq;
