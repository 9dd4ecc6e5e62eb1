-- How many jobs of a task, or of a task with the same key, may be claimed in which time; those without a token are blocked
-- meanwhile. Releases that know fewer steps go on and claim without tokens: rates hold once all workers have this step.
-- compatible from 1

ALTER TABLE windlass_job ADD COLUMN rate_key text COLLATE "C";
-- The rate of a job that was let go: it does not line up again.
ALTER TABLE windlass_ready ADD COLUMN rate_gate text COLLATE "C";
CREATE INDEX ready_let_go ON windlass_ready (rate_gate) WHERE rate_gate IS NOT NULL;

-- What code declares.
CREATE TABLE windlass_rate_limit (
    task text COLLATE "C" PRIMARY KEY,
    amount bigint NOT NULL,
    period bigint NOT NULL,
    burst bigint NOT NULL
);

-- The token buckets, named by task and key; one that is full has no row, or will soon have none. The level is in units, as
-- that of a limit. While jobs are blocked there, opens_at says when the next of them may go. No enqueue touches them.
CREATE TABLE windlass_rate_gate (
    name text COLLATE "C" PRIMARY KEY,
    amount bigint NOT NULL,
    period bigint NOT NULL,
    burst bigint NOT NULL,
    level bigint NOT NULL,
    filled_at bigint NOT NULL,
    full_at bigint NOT NULL,
    opens_at bigint
) WITH (fillfactor = 50, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX rate_gate_opens ON windlass_rate_gate (opens_at) WHERE opens_at IS NOT NULL;
CREATE INDEX rate_gate_full ON windlass_rate_gate (full_at) WHERE opens_at IS NULL;

-- What a bucket had at an instant, which is when a claim began: another that began later may have filled it further, and
-- that is taken off again, so that the bound holds for the instants of claims, whatever the order in which they got the
-- lock. A bucket of more than a minute ahead is one of before the clock went back.
CREATE FUNCTION windlass_filled(gate windlass_rate_gate, at bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN (gate).filled_at > at + 60000 THEN (gate).level
    ELSE greatest(0, least((gate).burst * (gate).period, (gate).level + (gate).amount * least(
        at - (gate).filled_at, (gate).burst * (gate).period / (gate).amount + 1))) END
$$;

-- When a bucket has so many tokens, not before it has cooled down.
CREATE FUNCTION windlass_token_due(gate windlass_rate_gate, level bigint, tokens bigint, at bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT greatest(
        at + greatest(1, (tokens * (gate).period + (gate).amount - 1 - level) / (gate).amount),
        (SELECT cooldown.ends_at FROM windlass_cooldown AS cooldown
            WHERE cooldown.scope = 'task' AND cooldown.name = (gate).name AND cooldown.began_at <= at))
$$;

-- The tokens of a rate that a claim may take, under the lock of its row, and whether jobs wait for them; no number where the
-- task has no rate.
CREATE FUNCTION windlass_lock_rate(asked text, at bigint, OUT tokens bigint, OUT has_line boolean)
LANGUAGE plpgsql AS $$
DECLARE
    gate windlass_rate_gate;
BEGIN
    has_line := false;
    LOOP
        IF NOT EXISTS (SELECT 1 FROM windlass_rate_limit AS known WHERE known.task = split_part(asked, E'\t', 1)) THEN
            RETURN;
        END IF;
        SELECT * INTO gate FROM windlass_rate_gate AS known WHERE known.name = asked FOR UPDATE;
        EXIT WHEN FOUND;
        -- One that another claim has just made is found by the next round.
        INSERT INTO windlass_rate_gate (name, amount, period, burst, level, filled_at, full_at)
        SELECT asked, known.amount, known.period, known.burst, known.burst * known.period, at, at
        FROM windlass_rate_limit AS known WHERE known.task = split_part(asked, E'\t', 1)
        ON CONFLICT (name) DO NOTHING;
    END LOOP;
    has_line := gate.opens_at IS NOT NULL;
    tokens := CASE WHEN EXISTS (
            SELECT 1 FROM windlass_cooldown AS cooldown WHERE cooldown.scope = 'task' AND cooldown.name = asked
            AND cooldown.began_at <= at AND at < cooldown.ends_at)
        THEN 0 ELSE windlass_filled(gate, at) / gate.period END;
END
$$;

-- Takes tokens, and notes that jobs were blocked for which there was none.
CREATE FUNCTION windlass_spend(spent text, taken bigint, refused bigint, at bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    gate windlass_rate_gate;
BEGIN
    IF taken = 0 AND refused = 0 THEN
        RETURN;
    END IF;
    SELECT * INTO gate FROM windlass_rate_gate AS known WHERE known.name = spent FOR UPDATE;
    IF gate.filled_at <= at OR gate.filled_at > at + 60000 THEN
        gate.level := windlass_filled(gate, at);
        gate.filled_at := at;
    END IF;
    gate.level := gate.level - taken * gate.period;
    IF gate.opens_at IS NOT NULL OR refused > 0 THEN
        gate.opens_at := least(gate.opens_at, windlass_token_due(gate, gate.level, 1, gate.filled_at));
    END IF;
    UPDATE windlass_rate_gate AS known SET
        level = gate.level, filled_at = gate.filled_at, opens_at = gate.opens_at,
        full_at = gate.filled_at + (gate.burst * gate.period - gate.level) / gate.amount + 1
    WHERE known.name = spent;
END
$$;

-- Lets jobs go that wait at a gate, in the order of claims, so many at the most; how many. They hold a concurrency key, or
-- have their turn at a rate.
CREATE FUNCTION windlass_let_go(opened text, most bigint, held text, rate text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    next record;
    let_go integer := 0;
BEGIN
    WHILE let_go < most LOOP
        DELETE FROM windlass_blocked AS blocked WHERE blocked.seq = (
            SELECT first.seq FROM windlass_blocked AS first
            WHERE first.gate = opened AND first.seq BETWEEN 0 AND 9223372036854775807
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
            INSERT INTO windlass_ready (seq, since, priority, queue, suspect, start_by, gate, rate_gate)
            VALUES (next.seq, next.since, next.priority, next.queue, next.suspect, next.start_by, held, rate);
            let_go := let_go + 1;
        END IF;
    END LOOP;
    RETURN let_go;
END
$$;

-- As before, by windlass_let_go.
CREATE OR REPLACE FUNCTION windlass_free_key(freed text, times integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    held integer;
    most integer;
    let_go integer;
BEGIN
    SELECT gate.running - times INTO held FROM windlass_key_gate AS gate WHERE gate.name = freed FOR UPDATE;
    held := greatest(coalesce(held, 0), 0);
    SELECT coalesce(max(coalesce(key.concurrency, key.declared)), 1) INTO most
    FROM windlass_key_limit AS key WHERE key.task = split_part(freed, E'\n', 1);
    let_go := windlass_let_go(freed, most - held, freed, NULL);
    held := held + let_go;
    IF held = 0 THEN
        DELETE FROM windlass_key_gate AS gate WHERE gate.name = freed;
    ELSE
        INSERT INTO windlass_key_gate AS gate (name, running, granted, most) VALUES (freed, held, 0, most)
        ON CONFLICT (name) DO UPDATE SET running = held;
    END IF;
    RETURN let_go;
END
$$;

-- Lets as many of the jobs that wait at a rate go as it has tokens, besides those that were let go and are not claimed yet.
-- If these are not, while the bucket is full, one more goes: they may be of a queue that is paused. Says when to look again.
CREATE FUNCTION windlass_open_rate(opened text, at bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    gate windlass_rate_gate;
    filled bigint;
    ahead bigint;
    let_go integer;
    is_limited boolean := EXISTS (
        SELECT 1 FROM windlass_rate_limit AS known WHERE known.task = split_part(opened, E'\t', 1));
    is_cooling boolean := EXISTS (
        SELECT 1 FROM windlass_cooldown AS cooldown WHERE cooldown.scope = 'task' AND cooldown.name = opened
        AND cooldown.began_at <= at AND at < cooldown.ends_at);
BEGIN
    SELECT * INTO gate FROM windlass_rate_gate AS known WHERE known.name = opened FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    filled := windlass_filled(gate, at);
    SELECT count(*) INTO ahead FROM windlass_ready AS next WHERE next.rate_gate = opened;
    let_go := windlass_let_go(opened, CASE WHEN NOT is_limited THEN 500 WHEN is_cooling THEN 0
        ELSE least(500, greatest(filled / gate.period - ahead, CAST(filled >= gate.burst * gate.period AS integer)))
        END, NULL, opened);
    ahead := ahead + let_go;
    UPDATE windlass_rate_gate AS known SET
        level = CASE WHEN gate.filled_at > at AND gate.filled_at <= at + 60000 THEN gate.level ELSE filled END,
        filled_at = CASE WHEN gate.filled_at > at AND gate.filled_at <= at + 60000 THEN gate.filled_at ELSE at END,
        opens_at = CASE
            WHEN NOT EXISTS (SELECT 1 FROM windlass_blocked AS blocked WHERE blocked.gate = opened) THEN NULL
            WHEN NOT is_limited THEN at
            -- More were let go than there are tokens: a claim brings that forward.
            WHEN ahead * gate.period > filled THEN at + greatest(1000, (gate.period + gate.amount - 1) / gate.amount)
            WHEN ahead >= gate.burst THEN at + greatest(20, (gate.period + gate.amount - 1) / gate.amount)
            ELSE windlass_token_due(gate, filled, ahead + 1, at) END
    WHERE known.name = opened;
    RETURN let_go;
END
$$;

-- So that promote looks at jobs which wait for a token: the row of their rate may have been lost, or the clock went back.
CREATE FUNCTION windlass_reopen_rate(opened text, at bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    gate windlass_rate_gate;
BEGIN
    PERFORM windlass_lock_rate(opened, at);
    INSERT INTO windlass_rate_gate (name, amount, period, burst, level, filled_at, full_at)
    VALUES (opened, 1, 1, 1, 1, at, at) ON CONFLICT (name) DO NOTHING;
    SELECT * INTO gate FROM windlass_rate_gate AS known WHERE known.name = opened;
    IF gate.filled_at > at + 60000 THEN
        gate.filled_at := at;
    END IF;
    UPDATE windlass_rate_gate AS known SET
        filled_at = gate.filled_at,
        opens_at = least(gate.opens_at, windlass_token_due(gate, windlass_filled(gate, at), 1, at))
    WHERE known.name = opened
    AND (gate.opens_at IS NULL OR gate.opens_at > windlass_token_due(gate, windlass_filled(gate, at), 1, at));
    RETURN 0;
END
$$;

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
    job.concurrency_key,
    job.rate_key
FROM windlass_job AS job
LEFT JOIN windlass_running AS running ON running.seq = job.seq
LEFT JOIN windlass_finished AS finished ON finished.seq = job.seq;
