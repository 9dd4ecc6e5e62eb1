-- In how many milliseconds the next job is due, or may go for which there was no token, and the next lease that holds something expires; a running job without
-- an open lease is overdue. And the time from which that is counted, how many workers have a lease in time, and the
-- first of these leases; those of manual claims have a colon in their names. Last, whether a queue that is not paused
-- has jobs to claim, whether the lead is free, in how many milliseconds the next job expires that waits, whether jobs
-- that wait for events are to be looked at, whether edges between jobs are, and how many of these leases end with :ending.
-- :strays whether every lease that holds something is looked at; else only open ones that are over within a second,
-- which are few however many there are
-- gives next_due
WITH RECURSIVE
-- here clock, leases_in_use, waiting
SELECT
    least((SELECT min(run_at) FROM windlass_due), (
        SELECT rate.opens_at FROM windlass_rate_gate AS rate WHERE rate.opens_at BETWEEN 0 AND 9223372036854775807
        ORDER BY rate.opens_at LIMIT 1)) - now,
    CASE WHEN CAST(:strays AS boolean) THEN (
        SELECT min(CASE WHEN lease.state = 'open' AND lease.renewed_at - lease.ttl <= now
            THEN lease.renewed_at + lease.ttl ELSE now END) - now
        FROM holding LEFT JOIN windlass_lease AS lease ON lease.id = holding.lease
        WHERE holding.lease IS NOT NULL)
    ELSE (
        -- A subquery for each lease that is nearly over: a join would walk all running jobs.
        SELECT min(lease.renewed_at + lease.ttl) - now FROM windlass_lease AS lease
        WHERE lease.state = 'open' AND lease.renewed_at + lease.ttl <= now + 1000
        AND (SELECT true FROM windlass_running AS running WHERE running.lease = lease.id LIMIT 1))
    END,
    now,
    live.count, live.first,
    -- The first queue that is not paused answers: the others are not stepped through.
    EXISTS (
        SELECT 1 FROM waiting WHERE waiting.queue IS NOT NULL AND NOT EXISTS (
            -- here queue_gates (queue = waiting.queue, limits = windlass_gate, rates = windlass_rate)
        )),
    NOT EXISTS (
        SELECT 1 FROM windlass_leader AS leader WHERE leader.duty = :duty
        AND leader.renewed_at - leader.ttl <= now AND now < leader.renewed_at + leader.ttl),
    -- One step of an index each, in whose order the planner must walk: hence the range, which is that of all numbers.
    least(
        (SELECT ready.start_by FROM windlass_ready AS ready WHERE ready.start_by BETWEEN 0 AND 9223372036854775807
            ORDER BY ready.start_by, ready.seq LIMIT 1),
        (SELECT due.start_by FROM windlass_due AS due WHERE due.start_by BETWEEN 0 AND 9223372036854775807
            ORDER BY due.start_by, due.seq LIMIT 1),
        (SELECT blocked.start_by FROM windlass_blocked AS blocked
            WHERE blocked.start_by BETWEEN 0 AND 9223372036854775807
            ORDER BY blocked.start_by, blocked.seq LIMIT 1)) - now,
    EXISTS (SELECT 1 FROM windlass_sent AS sent WHERE sent.is_new)
        OR EXISTS (SELECT 1 FROM windlass_step AS step WHERE step.is_new),
    (SELECT edge.child FROM windlass_edge AS edge WHERE edge.state = 0 ORDER BY edge.child LIMIT 1) IS NOT NULL,
    live.peers
FROM clock CROSS JOIN LATERAL (
    SELECT count(*) AS count, min(lease.id) AS first,
        count(*) FILTER (WHERE right(lease.id, length(CAST(:ending AS text))) = CAST(:ending AS text)) AS peers
    FROM windlass_lease AS lease
    WHERE
        -- here live_lease
    AND strpos(lease.id, ':') = 0) AS live
