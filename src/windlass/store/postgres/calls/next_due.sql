-- In how many milliseconds the next job is due and the next lease that holds something is over; a running job without
-- an open lease is overdue. And the time from which that is counted, how many workers have a lease in time, and the
-- first of these leases; those of manual claims have a colon in their names. Last, whether a queue that is not paused
-- has jobs to claim, and whether the lead is free.
-- :strays whether every lease that holds something is looked at; else only open ones that are over within a second,
-- which are few however many there are
-- gives next_due
WITH RECURSIVE
-- here clock, leases_in_use, waiting
SELECT
    (SELECT min(run_at) FROM windlass_due) - now,
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
            -- here queue_gates (queue = waiting.queue)
        )),
    NOT EXISTS (
        SELECT 1 FROM windlass_leader AS leader WHERE leader.duty = :duty
        AND leader.renewed_at - leader.ttl <= now AND now < leader.renewed_at + leader.ttl)
FROM clock CROSS JOIN LATERAL (
    SELECT count(*) AS count, min(lease.id) AS first FROM windlass_lease AS lease
    WHERE
        -- here live_lease
    AND strpos(lease.id, ':') = 0) AS live
