-- 1. plain
-- Ends runs that just returned, and takes the next jobs, in one commit: what a busy worker does most of the time, so it
-- does no more than that needs. The full form says the same at length.
-- :completed rows (seq, fence, ran_for, result)
-- :requests rows (queue, number)
-- :takes_suspect 1 if at most one of what it takes may be a suspect, 0 if none may
-- :lease, :token, :worker who claims
-- only with requests
-- only without endings, keys, gates, marks
-- gives ended
-- gives claimed as json
-- gives limits
-- gives rates
-- gives vanished
--
-- OFFSET 0, the kind of a list and the numbers of a seq are there for the planner, as in the full form.
WITH
-- here clock
, lease AS MATERIALIZED (
    -- The lock keeps the lease from being rescued or closed between this read and the commit of what is taken under
    -- it; renewing it is not held up.
    SELECT lease.id FROM windlass_lease AS lease, clock
    WHERE lease.id = :lease AND
        -- here live_lease
    FOR KEY SHARE OF lease
), ending AS MATERIALIZED (
    SELECT jsonb_typeof(value) AS kind, CAST({completed.seq} AS bigint) AS seq,
        CAST({completed.fence} AS bigint) AS fence, CAST({completed.ran_for} AS bigint) AS ran_for,
        {completed.result} AS result
    FROM jsonb_array_elements(CAST(:completed AS jsonb)) WHERE (SELECT count(*) FROM lease) >= 0
    ORDER BY seq
), owner AS MATERIALIZED (
    -- Only the owner whose fence the job still carries may end it, and only while it runs; for every other row nothing
    -- happens.
    SELECT ending.*, found.place FROM ending CROSS JOIN LATERAL (
        SELECT running.ctid AS place FROM windlass_running AS running
        WHERE running.seq = ending.seq AND running.fence = ending.fence OFFSET 0) AS found
), ended AS (
    -- By their place in the table, in the order of seq. A row that others have changed since this statement began is
    -- in another place now; see the last column.
    DELETE FROM windlass_running AS running USING owner AS ending
    WHERE running.ctid = ending.place AND ending.kind = 'array'
    -- The ending of a run that was not over in a moment makes sure that there is still a job.
    RETURNING running.*, ending.ran_for, ending.result, CASE WHEN running.started_at IS NULL THEN running.seq
        ELSE (SELECT job.seq FROM windlass_job AS job WHERE job.seq = running.seq) END AS job
), finished AS (
    INSERT INTO windlass_finished (
        seq, fence, finished_at, claimed_at, started_at, cancel_requested_at, attempt, crashes, rescues, state, queue,
        worker, progress, result, tallied)
    SELECT seq, fence, clock.now, claimed_at, coalesce(started_at, clock.now - ran_for), cancel_requested_at,
        attempt + 1, crashes, rescues, 'completed', queue, worker, progress, result, true
    FROM ended, clock WHERE job IS NOT NULL
    RETURNING queue, state
),
-- here tally, claim, own_claimed, spend, ended_summary (before = lease, granted = begun, key = CAST(NULL AS text))
, begins AS (
    -- An array of texts takes a third of the time that building JSON from values of each type takes.
    SELECT coalesce(array_to_json(array_agg(ARRAY[{Claimed; cast numbers as text;
            wants_cancel = 'false';
            unknown_for = CAST(clock.now - unknown_at AS text);
            expires_in = CAST(start_by - clock.now AS text);
            waited = CAST(greatest(0, clock.now - since) AS text);
            without is_charged}] ORDER BY priority DESC, since, seq) FILTER (WHERE id IS NOT NULL)), '[]') AS claimed,
        jsonb_agg(jsonb_build_array(seq, queue, 'pending')) FILTER (WHERE id IS NULL) AS vanished,
        count(coalesce(concurrency_key, rate_key)) AS keyed
    FROM begun, clock
)
SELECT
    endings.ended, begins.claimed, (SELECT json_agg(json_build_array({LimitState})) FROM limited) AS limits,
    (SELECT json_agg(json_build_array({RateState;
        tokens = level / period;
        due_in = greatest(0, (period + amount - 1 - level) / amount)})) FROM spent) AS rates,
    coalesce(endings.vanished || begins.vanished, endings.vanished, begins.vanished) AS vanished,
    -- One of the jobs was cancelled or rescued meanwhile: nothing is kept, and the driver repeats it.
    -- An ending that was sent twice is one.
    CAST(CASE
        WHEN (SELECT count(DISTINCT place) FROM owner) <> endings.number THEN 'windlass: try again'
        -- Jobs with a concurrency key, or a rate, need the full form.
        WHEN begins.keyed > 0 THEN 'windlass: next form'
        ELSE '0'
    END AS integer) AS again
FROM endings, begins

-- 2. full
-- Ends runs, notes which runs have begun, and takes the next jobs, in one commit.
-- :completed rows (seq, fence, ran_for, result), the runs that just returned
-- :endings rows (Ending), all others
-- :keys rows (key, seq, fence), only of endings whose job has a unique key
-- :gates rows (key), the concurrency keys that ended runs give back, in order
-- :marks rows (StartMark)
-- :requests rows (queue, number)
-- :takes_suspect 1 if at most one of what it takes may be a suspect, 0 if none may
-- :lease, :token, :worker who claims; a call that is repeated with the same token and no requests finds what the first
-- one took
-- gives ended
-- gives marked
-- gives claimed as json
-- gives blocked
-- gives limits
-- gives rates
-- gives vanished
--
-- Locks are taken in the order lease, keys, rows of running by seq, limits, rates of jobs, concurrency
-- keys: each part counts the one before it. A job that this
-- call puts back is not taken by the same call, because a statement does not see what its own parts write.
--
-- A prepared statement is planned once, perhaps while the tables are empty. So that it then probes an index for each
-- row and never reads a table that has grown since, rows are looked up in LATERAL parts that OFFSET 0 or a lock keeps
-- apart, and some conditions are there only because the planner takes them for choosy (the kind of a list, all of the
-- numbers that a seq can be).
WITH
-- here clock
, lease AS MATERIALIZED (
    -- The lock keeps the lease from being rescued or closed between this read and the commit of what is taken under
    -- it; renewing it is not held up.
    SELECT lease.id FROM windlass_lease AS lease, clock
    WHERE CAST(:requests AS text) <> '[]' AND lease.id = :lease AND
        -- here live_lease
    FOR KEY SHARE OF lease
), named AS MATERIALIZED (
    SELECT jsonb_typeof(value) AS kind, ({keys.key}) COLLATE "C" AS key, CAST({keys.seq} AS bigint) AS seq
    FROM jsonb_array_elements(CAST(:keys AS jsonb)) WHERE (SELECT count(*) FROM lease) >= 0
    ORDER BY key
), held AS MATERIALIZED (
    -- A key that a caller's open transaction takes over is passed by: a worker waits for no caller. Whether that commits
    -- or not, the key is not the ended job's any more (shared/holds).
    SELECT named.kind, found.place, found.id, found.until, found.cached_for, named.seq FROM named CROSS JOIN LATERAL (
        SELECT key.ctid AS place, key.id, key.until, key.cached_for FROM windlass_key AS key
        WHERE key.key = named.key AND key.until <> 'window'
        FOR UPDATE SKIP LOCKED) AS found
), ending AS MATERIALIZED (
    SELECT jsonb_typeof(value) AS kind,
        {endings.Ending; named; cast numbers as bigint; cast charge, crash, rescue as integer;
            without unique_key, concurrency_key}
    FROM jsonb_array_elements(CAST(:endings AS jsonb))
    UNION ALL
    SELECT jsonb_typeof(value), CAST({completed.seq} AS bigint), CAST({completed.fence} AS bigint), 'completed', NULL, 1,
        0, 0, NULL, CAST({completed.ran_for} AS bigint), {completed.result}, NULL, NULL
    FROM jsonb_array_elements(CAST(:completed AS jsonb))
    ORDER BY seq
), mark AS MATERIALIZED (
    SELECT jsonb_typeof(value) AS kind, {marks.StartMark; named; cast numbers as bigint}
    FROM jsonb_array_elements(CAST(:marks AS jsonb))
), locked AS MATERIALIZED (
    -- Endings alone lock their rows one after the other by themselves; with marks among them the order must be made.
    SELECT found.seq FROM (
        SELECT ending.seq FROM ending UNION ALL SELECT mark.seq FROM mark ORDER BY seq
    ) AS wanted CROSS JOIN LATERAL (
        SELECT running.seq FROM windlass_running AS running WHERE running.seq = wanted.seq
        FOR UPDATE) AS found
    WHERE CAST(:marks AS text) <> '[]' AND (SELECT count(*) FROM held) >= 0
), owner AS MATERIALIZED (
    -- Only the owner whose fence the job still carries may end it, and only while it runs; for every other row nothing
    -- happens.
    SELECT ending.*, found.place FROM ending CROSS JOIN LATERAL (
        SELECT running.ctid AS place FROM windlass_running AS running
        WHERE running.seq = ending.seq AND running.fence = ending.fence OFFSET 0) AS found
    WHERE (SELECT count(*) FROM held) >= 0 AND (SELECT count(*) FROM locked) >= 0
), ended AS (
    -- By their place in the table, in the order of seq. A row that others have changed since this statement began is
    -- in another place now; see the last column. A cancel request turns every ending but completed into cancelled.
    DELETE FROM windlass_running AS running USING owner AS ending, clock
    WHERE running.ctid = ending.place AND ending.kind = 'array'
    RETURNING running.seq, running.fence, running.claimed_at, running.cancel_requested_at, running.queue,
        running.lease, running.worker, running.progress, ending.delay, ending.result, ending.errors, ending.cause,
        CASE WHEN running.cancel_requested_at IS NULL OR ending.state = 'completed'
            THEN ending.state ELSE 'cancelled' END AS state,
        CASE WHEN running.cancel_requested_at IS NULL OR ending.state = 'completed' THEN ending.reason END AS reason,
        running.attempt + ending.charge AS attempt, running.crashes + ending.crash AS crashes,
        running.rescues + ending.rescue AS rescues,
        coalesce(running.started_at, clock.now - ending.ran_for) AS started_at,
        -- A claim that was released before its run began is no attempt.
        CASE WHEN ending.state <> 'completed' AND coalesce(running.started_at, ending.ran_for) IS NOT NULL THEN
            -- here attempts_after (outcome = CASE WHEN cancel_requested_at IS NULL THEN ending.state ELSE 'cancelled' END)
            END AS attempts,
        -- A released job whose concurrency key others wait for is one of them again, so that it goes when it is the first: the
        -- trigger of this table, which comes after all else, lets go as many as may hold the key.
        CASE WHEN
            -- here returns_to_line (ending = ending)
            THEN running.gate END AS line,
        -- The ending of a run that was not over in a moment, or did not just return, makes sure that there is a job.
        CASE WHEN running.started_at IS NULL AND ending.state = 'completed' THEN running.seq
            ELSE (SELECT job.seq FROM windlass_job AS job WHERE job.seq = running.seq) END AS job
), closed AS (
    -- The lease of a manual claim goes with its job; a worker's, which has no colon, holds others too.
    DELETE FROM windlass_lease AS lease USING ended
    WHERE lease.id = ended.lease AND strpos(ended.lease, ':') > 0
    RETURNING 1
), finished AS (
    INSERT INTO windlass_finished (
        seq, fence, finished_at, claimed_at, started_at, cancel_requested_at, attempt, crashes, rescues, state, queue,
        reason, worker, progress, result, errors, attempts, tallied, cause)
    SELECT seq, fence, clock.now, claimed_at, started_at, cancel_requested_at, attempt, crashes, rescues, state, queue,
        reason, worker, progress, result, errors, attempts, true, CASE WHEN state = 'failed' THEN cause END
    FROM ended, clock WHERE state IN ('completed', 'failed', 'cancelled') AND job IS NOT NULL
    RETURNING queue, state
),
-- here tally
, back AS (
    UPDATE windlass_job AS job SET
        -- a state that no run can end in is refused by the table
        waiting = CASE WHEN ended.line IS NULL THEN ended.state ELSE 'blocked' END,
        reason = CASE WHEN ended.line IS NULL THEN ended.reason ELSE 'key' END, attempt = ended.attempt, crashes = ended.crashes,
        rescues = ended.rescues, run_at = coalesce(clock.now + ended.delay, job.run_at),
        claimed_at = ended.claimed_at, started_at = ended.started_at, fence = ended.fence, worker = ended.worker,
        -- how long it has been unknown to every worker that met it; any other ending starts that clock anew
        unknown_at = CASE WHEN ended.reason IN ('unknown_task', 'no_key') THEN coalesce(job.unknown_at, clock.now) END,
        progress = coalesce(ended.progress, job.progress), errors = coalesce(ended.errors, job.errors),
        attempts = coalesce(ended.attempts, job.attempts),
        -- it is the first start that has to be in time
        start_by = CASE WHEN ended.started_at IS NULL THEN job.start_by END
    FROM ended, clock
    WHERE job.seq = ended.seq AND ended.state NOT IN ('completed', 'failed', 'cancelled')
    RETURNING job.seq, job.waiting, job.run_at, job.priority, job.queue, job.start_by,
        job.crashes + job.rescues > 0 AS suspect, ended.line
), ready AS (
    INSERT INTO windlass_ready (seq, since, priority, queue, suspect, start_by)
    SELECT seq, run_at, priority, queue, suspect, start_by FROM back WHERE waiting = 'pending'
), due AS (
    INSERT INTO windlass_due (seq, run_at, state, queue, start_by)
    SELECT seq, run_at, waiting, queue, start_by FROM back WHERE waiting NOT IN ('pending', 'blocked')
), returned AS (
    INSERT INTO windlass_blocked (seq, since, priority, queue, suspect, start_by, gate)
    SELECT seq, run_at, priority, queue, suspect, start_by, line FROM back WHERE line IS NOT NULL
), cached AS MATERIALIZED (
    SELECT held.kind, held.place, held.cached_for, octet_length(ended.result) AS bytes
    FROM held JOIN ended ON ended.seq = held.seq CROSS JOIN LATERAL (
        SELECT job.id FROM windlass_job AS job WHERE job.seq = ended.seq OFFSET 0) AS owner
    WHERE held.cached_for IS NOT NULL AND ended.state = 'completed' AND owner.id = held.id
), kept AS (
    -- The key of a result that is cached is held for that time from now on.
    UPDATE windlass_key AS key SET
        until = 'window', expires_at = clock.now + cached.cached_for, bytes = coalesce(cached.bytes, 0)
    FROM cached, clock WHERE key.ctid = cached.place AND cached.kind = 'array'
), freed AS (
    -- A finished job gives its unique key back, unless the key is held for a window of time; one that has begun a run
    -- gives back what it held until then.
    DELETE FROM windlass_key AS key USING held
    WHERE key.ctid = held.place AND held.kind = 'array' AND EXISTS (
        SELECT 1 FROM ended CROSS JOIN LATERAL (
            SELECT job.id FROM windlass_job AS job WHERE job.seq = ended.seq OFFSET 0) AS owner
        WHERE ended.seq = held.seq AND owner.id = held.id AND (
            ended.state IN ('failed', 'cancelled') OR (ended.state = 'completed' AND held.cached_for IS NULL)
            OR (held.until = 'started' AND (ended.attempt > 0 OR ended.started_at IS NOT NULL))))
), starter AS MATERIALIZED (
    -- A row may be written only once in a statement, and an ending comes first.
    SELECT mark.*, found.place FROM mark CROSS JOIN LATERAL (
        SELECT running.ctid AS place FROM windlass_running AS running
        WHERE running.seq = mark.seq AND running.fence = mark.fence OFFSET 0) AS found
    WHERE mark.seq NOT IN (SELECT ended.seq FROM ended)
), marked AS (
    -- Notes that user code has begun under this fence; the attempt itself is charged by the ending or by rescue.
    UPDATE windlass_running AS running SET started_at = coalesce(running.started_at, clock.now - mark.ago)
    FROM starter AS mark, clock
    WHERE running.ctid = mark.place AND mark.kind = 'array'
    RETURNING running.seq
),
-- here claim, rate_keys, keys (before = closed, after = limits, first = begun.suspect DESC)
, granted AS MATERIALIZED (
    SELECT * FROM begun WHERE seq NOT IN (SELECT refused.seq FROM refused)
),
-- here own_claimed, spend, spend_rates, ended_summary (granted = granted, key = concurrency_key)
, claimed AS (
    SELECT {Claimed; unknown_for = unknown_at; expires_in = start_by; waited = greatest(0, clock.now - since) AS waited;
            without wants_cancel, is_charged}, since,
        false AS wants_cancel
    FROM granted, clock
    UNION ALL
    SELECT known.* FROM windlass_running AS running CROSS JOIN LATERAL (
        SELECT {Claimed; unknown_for = unknown_at; expires_in = start_by; waited = greatest(0, claimed_at - run_at);
                without wants_cancel, is_charged}, run_at,
            cancel_requested_at IS NOT NULL
        FROM windlass_record AS record WHERE record.seq = running.seq OFFSET 0) AS known
    WHERE CAST(:requests AS text) = '[]' AND running.lease = :lease AND running.claim = :token
    AND running.seq NOT IN (SELECT ended.seq FROM ended)
), begins AS (
    -- An array of texts takes a third of the time that building JSON from values of each type takes.
    SELECT coalesce(array_to_json(array_agg(ARRAY[{Claimed; cast numbers as text;
            unknown_for = CAST(clock.now - unknown_at AS text);
            expires_in = CAST(start_by - clock.now AS text);
            without is_charged}] ORDER BY priority DESC, since, seq) FILTER (WHERE id IS NOT NULL)), '[]') AS claimed,
        jsonb_agg(jsonb_build_array(seq, queue, 'pending')) FILTER (WHERE id IS NULL) AS vanished
    FROM claimed, clock
)
SELECT
    endings.ended, (SELECT coalesce(json_agg(json_build_array(seq)), '[]') FROM marked) AS marked, begins.claimed,
    (SELECT json_agg(json_build_array({LimitState})) FROM limited) AS limits,
    (SELECT json_agg(json_build_array({RateState;
        tokens = level / period;
        due_in = greatest(0, (period + amount - 1 - level) / amount)})) FROM spent) AS rates,
    -- here blocked_rows
    ,
    coalesce(endings.vanished || begins.vanished, endings.vanished, begins.vanished) AS vanished,
    -- One of the jobs was marked, cancelled or rescued meanwhile: nothing is kept, and the driver repeats it.
    -- An ending or a mark that was sent twice is one.
    CAST(CASE
        WHEN (SELECT count(DISTINCT place) FROM owner) <> endings.number
            OR (SELECT count(DISTINCT place) FROM starter) <> (SELECT count(*) FROM marked)
            OR (SELECT count(*) FROM paid) < 0
        THEN 'windlass: try again'
        ELSE '0'
    END AS integer) AS again
FROM endings, begins
