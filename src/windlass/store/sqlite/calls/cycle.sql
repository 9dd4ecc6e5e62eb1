-- 1. keyed
-- Whether concurrency keys, or rates of jobs, matter at all.
-- binds keyed as rows
-- here any_keyed

-- 2. limited
-- Whether a limit on running jobs, or a rate, holds for a queue that this call touches; nearly always none does.
-- :ended_in the queues of the runs that end, null if they are not known
-- :requests rows (queue, number)
-- binds limited
SELECT EXISTS (
    SELECT 1 FROM windlass_gate WHERE name IN (
        -- here touched
    ))
OR EXISTS (SELECT 1 FROM windlass_rate WHERE name IN (SELECT {requests.queue} FROM jsonb_each(:requests)))

-- 3. lease
-- The lease of a manual claim goes with its job. Before the endings, which make the job forget its lease.
-- :manual rows (seq, fence) as claim, the endings of manually claimed jobs
-- only with manual
DELETE FROM windlass_lease WHERE id IN (
    SELECT lease FROM jsonb_each(:manual) AS claim JOIN windlass_job ON windlass_job.seq = {claim.seq}
    WHERE windlass_job.fence = {claim.fence} AND windlass_job.state = 'running'
    -- a worker's lease, which has no colon, holds other jobs too
    AND instr(lease, ':') > 0)

-- 4. uncount completed
-- The runs that the next statement ends run no more.
-- :completed rows (seq, fence, ran_for, result) as run
-- only with completed
-- only if limited
WITH ended AS MATERIALIZED (
    SELECT DISTINCT windlass_job.seq, queue FROM jsonb_each(:completed) AS run JOIN windlass_job
    ON windlass_job.seq = {run.seq} AND windlass_job.fence = {run.fence} AND windlass_job.state = 'running'
)
UPDATE windlass_gate SET running = running - (SELECT count(*) FROM ended WHERE name IN ('*', queue))
WHERE name IN (SELECT '*' UNION ALL SELECT queue FROM ended)

-- 5. complete
-- Ends runs that returned, which is most of them, so it carries no more than they need. Only the owner whose fence the
-- job still carries may end it, and only while it runs; for every other row nothing happens.
-- OR FAIL, here and below: an error undoes the call, so SQLite need not be able to undo a part of one statement, for
-- which it would copy every page that the statement changes.
-- :completed rows (seq, fence, ran_for, result) as run
-- only with completed
UPDATE OR FAIL windlass_job SET
    state = 'completed',
    reason = NULL,
    attempt = attempt + 1,
    started_at = coalesce(started_at, :now - ({run.ran_for})),
    finished_at = :now,
    unknown_at = NULL,
    result = {run.result},
    lease = NULL,
    claim = NULL
FROM jsonb_each(:completed) AS run
WHERE windlass_job.seq = {run.seq} AND windlass_job.fence = {run.fence} AND windlass_job.state = 'running'

-- 6. completed
-- How many of them were accepted; when all were, it need not be asked which.
-- only with completed
-- gives completed
SELECT changes()

-- 7. uncount ended
-- Nor do those that end in every other way.
-- :endings rows (Ending) as ending
-- only with endings
-- only if limited
WITH ended AS MATERIALIZED (
    SELECT DISTINCT windlass_job.seq, queue FROM jsonb_each(:endings) AS ending JOIN windlass_job
    ON windlass_job.seq = {ending.seq} AND windlass_job.fence = {ending.fence} AND windlass_job.state = 'running'
)
UPDATE windlass_gate SET running = running - (SELECT count(*) FROM ended WHERE name IN ('*', queue))
WHERE name IN (SELECT '*' UNION ALL SELECT queue FROM ended)

-- 8. finish
-- Ends runs in every other way, under the same condition. A cancel request turns every ending but completed into
-- cancelled. A released job whose concurrency key others wait for is one of them again, so that it goes when it is the first.
-- :endings rows (Ending)
-- only with endings
UPDATE OR FAIL windlass_job SET
    state = CASE WHEN ending.returns THEN 'blocked'
        WHEN cancel_requested_at IS NULL OR ending.state = 'completed' THEN ending.state ELSE 'cancelled' END,
    reason = CASE WHEN ending.returns THEN 'key'
        WHEN cancel_requested_at IS NULL OR ending.state = 'completed' THEN ending.reason END,
    gate = CASE WHEN ending.returns THEN concurrency_key END,
    attempt = attempt + ending.charge,
    crashes = crashes + ending.crash,
    rescues = rescues + ending.rescue,
    run_at = coalesce(:now + ending.delay, run_at),
    started_at = coalesce(started_at, :now - ending.ran_for),
    finished_at = CASE WHEN cancel_requested_at IS NOT NULL OR ending.state IN ('completed', 'failed', 'cancelled')
        THEN :now END,
    -- how long it has been unknown to every worker that met it; any other ending starts that clock anew
    unknown_at = CASE WHEN ending.reason IN ('unknown_task', 'no_key') THEN coalesce(unknown_at, :now) END,
    result = ending.result,
    errors = coalesce(ending.errors, windlass_job.errors),
    cause = CASE WHEN cancel_requested_at IS NULL AND ending.state = 'failed' THEN ending.cause END,
    -- a claim that was released before its run began is no attempt
    attempts = CASE WHEN ending.state = 'completed' OR coalesce(started_at, ending.ran_for) IS NULL THEN attempts ELSE
        -- here attempts_after (outcome = CASE WHEN cancel_requested_at IS NULL THEN ending.state ELSE 'cancelled' END)
        END,
    -- it is the first start that has to be in time
    start_by = CASE WHEN coalesce(started_at, ending.ran_for) IS NULL OR cancel_requested_at IS NOT NULL
        OR ending.state IN ('completed', 'failed', 'cancelled') THEN start_by END,
    lease = NULL,
    claim = NULL
FROM (
    SELECT {endings.Ending; named; without unique_key, concurrency_key},
        -- here returns_to_line (seq = {endings.seq}, state = {endings.state})
        AS returns
    FROM jsonb_each(:endings)
) AS ending
WHERE windlass_job.seq = ending.seq AND windlass_job.fence = ending.fence AND windlass_job.state = 'running'

-- 9. ended
-- How many of those were accepted.
-- only with endings
-- gives ended
SELECT changes()

-- 10. awaited
-- Whether jobs wait for others to end: nearly always none does.
-- binds awaited
-- here any_edges

-- 11. ended parents
-- What waits for the jobs that have ended here is to be looked at.
-- :completed rows (seq, fence, ran_for, result) as run
-- :endings rows (Ending) as ending
-- only if awaited
UPDATE windlass_edge SET state = 0 WHERE state = 1 AND parent IN (
    SELECT seq FROM windlass_job WHERE state IN ('completed', 'failed', 'cancelled') AND seq IN (
        SELECT {run.seq} FROM jsonb_each(:completed) AS run
        UNION ALL SELECT {ending.seq} FROM jsonb_each(:endings) AS ending))

-- here settle_awaited

-- 12. key
-- A finished job gives its unique key back, unless the key is held for a window of time; one that has begun a run gives
-- back what it held until then.
-- :keys rows (key, seq, fence) as held, only of jobs that have one
-- only with keys
DELETE FROM windlass_key WHERE until <> 'window' AND (key, id) IN (
    SELECT {held.key}, windlass_job.id
    FROM jsonb_each(:keys) AS held JOIN windlass_job ON windlass_job.seq = {held.seq}
    JOIN windlass_key AS kept ON kept.key = {held.key}
    WHERE windlass_job.fence = {held.fence} AND (
        windlass_job.state IN ('failed', 'cancelled') OR (windlass_job.state = 'completed' AND kept.cached_for IS NULL)
        OR (kept.until = 'started' AND (windlass_job.attempt > 0 OR windlass_job.started_at IS NOT NULL))))

-- 13. freed
-- The concurrency keys of the jobs whose runs have ended here, if others wait for them.
-- :completed rows (seq, fence, ran_for, result) as run
-- :endings rows (Ending) as ending
-- only with keyed
-- binds freed as rows
SELECT DISTINCT concurrency_key FROM windlass_job
WHERE concurrency_key IS NOT NULL AND state <> 'running' AND seq IN (
    SELECT {run.seq} FROM jsonb_each(:completed) AS run UNION ALL SELECT {ending.seq} FROM jsonb_each(:endings) AS ending)
AND EXISTS (
    SELECT 1 FROM windlass_job AS waiting WHERE waiting.state = 'blocked' AND waiting.gate = windlass_job.concurrency_key)

-- 14. unblock
-- The next jobs of these keys.
-- only with keyed
-- each freed (key)
-- here unblock

-- 15. mark
-- Notes that user code has begun under this fence; the attempt itself is charged by the ending or by rescue.
-- :marks rows (StartMark) as mark
-- only with marks
UPDATE OR FAIL windlass_job SET started_at = :now - ({mark.ago}) FROM jsonb_each(:marks) AS mark
WHERE seq = {mark.seq} AND fence = {mark.fence} AND state = 'running' AND started_at IS NULL

-- 16. marked
-- Which of them may start: those that still run under their fence.
-- :marks rows (StartMark) as mark
-- only with marks
-- gives marked
SELECT seq FROM jsonb_each(:marks) AS mark JOIN windlass_job ON seq = {mark.seq}
WHERE fence = {mark.fence} AND state = 'running'

-- 17. block suspects
-- The suspect of each queue that would be claimed next is blocked if others hold its key.
-- only with keyed
-- only if takes_suspect
-- each requests (queue, number)
-- gives blocked
UPDATE windlass_job SET state = 'blocked', reason = 'key', gate = concurrency_key, promised = 0
WHERE seq = (
    -- here next_suspect
)
AND concurrency_key IS NOT NULL AND promised <> 1 AND 0 >= (
    -- here key_room (key = windlass_job.concurrency_key)
)
-- here own_lease_in_time
-- here judged_row

-- 18. put suspects off
-- The same if there is no token for it.
-- only with keyed (kind) where kind = 2
-- only if takes_suspect
-- each requests (queue, number)
-- gives blocked
-- binds judged as rows
UPDATE windlass_job SET state = 'blocked', reason = 'rate', gate = rate_key, promised = promised = 1
WHERE seq = (
    -- here next_suspect
)
AND rate_key IS NOT NULL AND
    -- here is_out (job = windlass_job, own = own.lease = :lease AND own.claim = :token)
-- here own_lease_in_time
-- here judged_row

-- 19. claim a suspect
-- Takes at most one suspect of all queues that are asked for jobs, if the lease is live and no gate is shut.
-- :requests rows (queue, number) as request
-- :takes_suspect 1, or 0 for a worker that has one in flight
-- only with takes_suspect
-- here take
WHERE seq = (
    SELECT found.seq FROM (
        SELECT (
            SELECT first.seq FROM (
                SELECT seq, priority, concurrency_key, rate_key, promised FROM windlass_job
                WHERE queue = {request.queue} AND state = 'pending' AND crashes + rescues > 0
                ORDER BY priority DESC, run_at, seq LIMIT 1) AS first
            WHERE
                -- here suspect_turn (suspect = first, queue = {request.queue})
            AND (first.concurrency_key IS NULL OR first.promised = 1 OR 0 < (
                -- here key_room (key = first.concurrency_key)
            ))
            AND (first.rate_key IS NULL OR NOT
                -- here is_out (job = first, own = own.lease = :lease AND own.claim = :token)
            )
            AND NOT EXISTS (
                -- here queue_gates (queue = {request.queue})
            )) AS seq
        FROM jsonb_each(:requests) AS request WHERE {request.number} > 0) AS found
    WHERE found.seq IS NOT NULL LIMIT 1)
-- here own_lease_in_time

-- 20. claim by key
-- Takes the next jobs of one queue as claim does, but blocks those that come before them and whose key others hold: at
-- most 500 more than are taken.
-- only with keyed (kind) where kind = 1
-- each requests (queue, number)
-- gives blocked
WITH
-- here next_by_key
-- here take_or_block (lease = :lease, started_at = NULL)
FROM (
    -- here key_turns (offered = next)
) AS judged
WHERE windlass_job.seq = judged.seq
-- here own_lease_in_time
AND NOT EXISTS (
    -- here queue_gates (queue = :queue)
)
-- here judged_row

-- 21. claim by key and rate
-- The same where there are jobs with a rate: blocks those without a token, too.
-- only with keyed (kind) where kind = 2
-- each requests (queue, number)
-- gives blocked
-- binds judged as rows
WITH
-- here next_by_key
,
-- here offered (own = own.lease = :lease AND own.claim = :token)
-- here take_or_block (lease = :lease, started_at = NULL)
FROM (
    -- here key_turns (offered = offered)
) AS judged
WHERE windlass_job.seq = judged.seq
-- here own_lease_in_time
AND NOT EXISTS (
    -- here queue_gates (queue = :queue)
)
-- here judged_row

-- 22. spend by key
-- only with keyed (kind) where kind = 2
-- here spend_by_key (own = own.lease = :lease AND own.claim = :token)

-- 23. close
-- only with keyed (kind) where kind = 2
-- here close_rates

-- 24. pass on
-- A job that waits for a token gives its concurrency key to the next.
-- only with keyed (kind) where kind = 2
-- each judged (queue, state, reason, gate, promised, key, seq) unless promised = 0
UPDATE windlass_job SET promised = 0 WHERE seq = :seq

-- 25. pass on to
-- only with keyed (kind) where kind = 2
-- each judged (queue, state, reason, gate, promised, key, seq) unless promised = 0
-- here unblock

-- 26. claim first
-- Takes the next job of each queue that is asked for one, all in one go: a worker of many queues asks for hundreds.
-- The next statement does the same for those that are asked for more.
-- :requests rows (queue, number) as request
-- only with requests (queue, number) where number = 1
-- unless limited
-- only without keyed
-- here take
WHERE seq IN (
    SELECT (
        SELECT seq FROM windlass_job
        WHERE queue = {request.queue} AND state = 'pending' AND crashes = 0 AND rescues = 0
        ORDER BY priority DESC, run_at, seq LIMIT 1)
    FROM jsonb_each(:requests) AS request
    WHERE {request.number} = 1 AND NOT EXISTS (
        -- here queue_gates (queue = {request.queue})
    )
    -- the suspect that this call took
    AND {request.queue} NOT IN (
        SELECT queue FROM windlass_job WHERE state = 'running' AND lease = :lease AND claim = :token))
-- here own_lease_in_time

-- 27. claim
-- Takes the next jobs of one queue, by priority and then by when they became ready, under the same conditions.
-- each requests (queue, number) unless number = 1
-- unless limited
-- only without keyed
-- here take
WHERE seq IN (
    SELECT seq FROM windlass_job
    WHERE queue = :queue AND state = 'pending' AND crashes = 0 AND rescues = 0 ORDER BY priority DESC, run_at, seq
    -- less the suspect that this call took; a negative limit would be none at all
    LIMIT max(0, :number - (
        SELECT count(*) FROM windlass_job
        WHERE state = 'running' AND lease = :lease AND claim = :token AND queue = :queue)))
-- here own_lease_in_time
AND NOT EXISTS (
    -- here queue_gates (queue = :queue)
)

-- 28. claim within limits
-- The same for all queues where one of them, or all together, may run only so many jobs at once, or has a rate.
-- each requests (queue, number)
-- only if limited
-- only without keyed
-- here take
WHERE seq IN (
    SELECT seq FROM windlass_job
    WHERE queue = :queue AND state = 'pending' AND crashes = 0 AND rescues = 0 ORDER BY priority DESC, run_at, seq
    LIMIT (
        SELECT
            -- here room (queue = :queue, asked = :number - of_queue, taken = of_queue, all = of_all)
        FROM (
            SELECT count(*) AS of_all, count(*) FILTER (WHERE queue = :queue) AS of_queue FROM windlass_job
            WHERE state = 'running' AND lease = :lease AND claim = :token)))
-- here own_lease_in_time
AND NOT EXISTS (
    -- here queue_gates (queue = :queue)
)

-- 29. count claimed
-- Counts what was taken.
-- :requests rows (queue, number)
-- only with requests
-- only if limited
UPDATE windlass_gate SET running = running + (
    SELECT count(*) FROM windlass_job
    WHERE state = 'running' AND lease = :lease AND claim = :token AND windlass_gate.name IN ('*', queue))
WHERE name IN (SELECT '*' UNION ALL SELECT {requests.queue} FROM jsonb_each(:requests))

-- 30. limits
-- The limits of the queues that this call touches, as they are now.
-- :requests rows (queue, number)
-- only if limited
-- gives limits
SELECT {LimitState} FROM windlass_gate WHERE name IN (
    -- here touched
)

-- 31. spend
-- Every claim takes a token. Otherwise only what has to be known later is written: how far the clock went back.
-- :requests rows (queue, number)
-- only with requests
-- only if limited
WITH taken AS MATERIALIZED (
    SELECT queue, count(*) AS number FROM windlass_job
    WHERE state = 'running' AND lease = :lease AND claim = :token GROUP BY queue
)
UPDATE windlass_rate SET
    level =
    -- here filled
    - period * coalesce((SELECT number FROM taken WHERE queue = name), 0),
    filled_at = :now
WHERE name IN (SELECT {requests.queue} FROM jsonb_each(:requests))
AND (filled_at > :now OR name IN (SELECT queue FROM taken))

-- 32. rates
-- The tokens that are left to the queues that were asked for jobs.
-- :requests rows (queue, number)
-- only with requests
-- only if limited
-- gives rates
SELECT name, (
    -- here filled
    ) / period,
    -- here token_due
FROM windlass_rate WHERE name IN (SELECT {requests.queue} FROM jsonb_each(:requests))

-- 33. claimed
-- What this call took. A call that is repeated with the same token and no requests finds what the first one took.
-- gives claimed as json
SELECT CAST(json_group_array(json_array({Claimed;
    payload = whole_payload;
    wants_cancel = json(iif(cancel_requested_at IS NULL, 'false', 'true'));
    unknown_for = :now - unknown_at;
    expires_in = start_by - :now;
    waited = max(0, claimed_at - run_at);
    without is_charged})) AS BLOB)
FROM (
    SELECT * FROM windlass_whole WHERE state = 'running' AND lease = :lease AND claim = :token
    ORDER BY priority DESC, run_at, seq)

-- 34. cache
-- The key of a result that is cached is held for that time from now on.
-- :keys rows (key, seq, fence, cached) as held, only of jobs that have one
-- only with keys (key, seq, fence, cached) where cached = 1
UPDATE windlass_key SET until = 'window', expires_at = :now + cached_for, bytes = coalesce((
    SELECT octet_length(result) FROM windlass_job WHERE windlass_job.id = windlass_key.id), 0)
WHERE cached_for IS NOT NULL AND expires_at IS NULL AND (key, id) IN (
    SELECT {held.key}, windlass_job.id
    FROM jsonb_each(:keys) AS held JOIN windlass_job ON windlass_job.seq = {held.seq}
    WHERE windlass_job.fence = {held.fence} AND windlass_job.state = 'completed' AND {held.cached} = 1)
