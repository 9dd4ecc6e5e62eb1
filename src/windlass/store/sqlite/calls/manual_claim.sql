-- 1. keyed
-- Whether concurrency keys, or rates of jobs, matter at all.
-- binds keyed as rows
-- here any_keyed

-- 2. take
-- A manual claim, for a caller that runs the jobs itself: each gets a lease of its own and is charged at once.
-- The lease is named token:seq:fence, so that a job that the same token takes again does not get its old one back.
-- The room left shrinks by what this token already holds, so a repeated call takes nothing twice.
-- each queues (queue)
-- only without keyed
UPDATE windlass_job SET
    state = 'running', fence = fence + 1, lease = :token || ':' || seq || ':' || (fence + 1), claim = :token,
    worker = :worker, claimed_at = :now, started_at = :now, finished_at = NULL, attempt = attempt + 1, promised = 0
WHERE seq IN (
    -- A manual claim takes suspects like all others; each of both places has its index.
    SELECT seq FROM (
        SELECT seq, priority, run_at FROM (
            SELECT seq, priority, run_at FROM windlass_job
            WHERE queue = :queue AND state = 'pending' AND crashes = 0 AND rescues = 0
            ORDER BY priority DESC, run_at, seq LIMIT max(0, :limit))
        UNION ALL
        SELECT seq, priority, run_at FROM (
            SELECT seq, priority, run_at FROM windlass_job
            WHERE queue = :queue AND state = 'pending' AND crashes + rescues > 0
            ORDER BY priority DESC, run_at, seq LIMIT max(0, :limit)))
    ORDER BY priority DESC, run_at, seq
    LIMIT (
        SELECT
            -- here room (queue = :queue, asked = :limit - held, taken = of_queue, all = of_all)
        FROM (
            SELECT count(*) AS held, count(*) FILTER (WHERE is_new) AS of_all,
                count(*) FILTER (WHERE is_new AND queue = :queue) AS of_queue
            FROM (
                -- What this call took has no lease yet.
                SELECT queue, NOT EXISTS (SELECT 1 FROM windlass_lease WHERE id = lease) AS is_new FROM windlass_job
                WHERE state = 'running' AND lease >= :token || ':' AND lease < :token || ';'))))
AND NOT EXISTS (
    -- here queue_gates (queue = :queue)
)

-- 3. take by key
-- The same, but blocks those that come before what is taken and that have no token, or whose key others hold, as in cycle.
-- only with keyed
-- each queues (queue)
-- gives blocked
-- binds judged as rows
WITH room AS MATERIALIZED (
    SELECT
        -- here room (queue = :queue, asked = :limit - held, taken = of_queue, all = of_all)
        AS number
    FROM (
        SELECT count(*) AS held, count(*) FILTER (WHERE is_new) AS of_all,
            count(*) FILTER (WHERE is_new AND queue = :queue) AS of_queue
        FROM (
            -- What this call took has no lease yet.
            SELECT queue, NOT EXISTS (SELECT 1 FROM windlass_lease WHERE id = lease) AS is_new FROM windlass_job
            WHERE state = 'running' AND lease >= :token || ':' AND lease < :token || ';'))
), next AS MATERIALIZED (
    SELECT seq, priority, run_at, concurrency_key, rate_key, promised FROM (
        SELECT * FROM (
            SELECT seq, priority, run_at, concurrency_key, rate_key, promised FROM windlass_job
            WHERE queue = :queue AND state = 'pending' AND crashes = 0 AND rescues = 0
            ORDER BY priority DESC, run_at, seq LIMIT (SELECT number FROM room) + 500)
        UNION ALL
        SELECT * FROM (
            SELECT seq, priority, run_at, concurrency_key, rate_key, promised FROM windlass_job
            WHERE queue = :queue AND state = 'pending' AND crashes + rescues > 0
            ORDER BY priority DESC, run_at, seq LIMIT (SELECT number FROM room) + 500))
    ORDER BY priority DESC, run_at, seq LIMIT (SELECT number FROM room) + 500
),
-- here offered (own = own.lease >= :token || ':' AND own.lease < :token || ';' AND NOT EXISTS (SELECT 1 FROM windlass_lease WHERE id = own.lease))
-- here take_or_block (lease = :token || ':' || windlass_job.seq || ':' || (fence + 1), started_at = :now)
    , attempt = attempt + NOT (is_out OR is_full)
FROM (
    -- here key_turns (offered = offered)
) AS judged
WHERE windlass_job.seq = judged.seq
AND NOT EXISTS (
    -- here queue_gates (queue = :queue)
)
-- here judged_row

-- 4. spend by key
-- only with keyed (kind) where kind = 2
-- here spend_by_key (own = own.lease >= :token || ':' AND own.lease < :token || ';' AND NOT EXISTS (SELECT 1 FROM windlass_lease WHERE id = own.lease))

-- 5. close
-- only with keyed (kind) where kind = 2
-- here close_rates

-- 6. pass on
-- A job that waits for a token gives its concurrency key to the next.
-- only with keyed
-- each judged (queue, state, reason, gate, promised, key, seq) unless promised = 0
UPDATE windlass_job SET promised = 0 WHERE seq = :seq

-- 7. pass on to
-- only with keyed
-- each judged (queue, state, reason, gate, promised, key, seq) unless promised = 0
-- here unblock

-- 8. count
-- Counts what was taken just now, where there are limits.
UPDATE windlass_gate SET running = running + (
    SELECT count(*) FROM windlass_job
    WHERE state = 'running' AND lease >= :token || ':' AND lease < :token || ';'
    AND windlass_gate.name IN ('*', queue) AND NOT EXISTS (SELECT 1 FROM windlass_lease WHERE id = lease))

-- 9. spend
-- Every claim takes a token. Otherwise only what has to be known later is written: how far the clock went back.
-- :queues rows (queue)
WITH taken AS MATERIALIZED (
    SELECT queue, count(*) AS number FROM windlass_job
    WHERE state = 'running' AND lease >= :token || ':' AND lease < :token || ';'
    AND NOT EXISTS (SELECT 1 FROM windlass_lease WHERE id = lease) GROUP BY queue
)
UPDATE windlass_rate SET
    level =
    -- here filled
    - period * coalesce((SELECT number FROM taken WHERE queue = name), 0),
    filled_at = :now
WHERE name IN (SELECT {queues.queue} FROM jsonb_each(:queues))
AND (filled_at > :now OR name IN (SELECT queue FROM taken))

-- 10. lease
-- Opens the leases of what was taken just now.
INSERT INTO windlass_lease (id, worker, state, ttl, renewed_at)
SELECT lease, :worker, 'open', :ttl, :now FROM windlass_job
WHERE state = 'running' AND lease >= :token || ':' AND lease < :token || ';'
ON CONFLICT DO NOTHING

-- 11. claimed
-- gives claimed as json
SELECT CAST(json_group_array(json_array({Claimed;
    payload = whole_payload;
    wants_cancel = json(iif(cancel_requested_at IS NULL, 'false', 'true'));
    unknown_for = :now - unknown_at;
    expires_in = start_by - :now;
    waited = max(0, claimed_at - run_at);
    is_charged = json('true')})) AS BLOB)
FROM (
    SELECT * FROM windlass_whole WHERE state = 'running' AND lease >= :token || ':' AND lease < :token || ';'
    ORDER BY priority DESC, run_at, seq)
