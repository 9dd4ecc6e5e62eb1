-- In how many milliseconds the next job is due, or may go for which there was no token, and the next lease that holds something expires; a running job without
-- an open lease is overdue. And the time from which that is counted, how many workers have a lease in time, and the
-- first of these leases; those of manual claims have a colon in their names. Last, whether a queue that is not paused
-- has jobs to claim, whether the lead is free, in how many milliseconds the next job expires that waits, whether jobs
-- that wait for events are to be looked at, whether edges between jobs are, and how many of these leases end with :ending.
-- :strays whether every lease that holds something is looked at; else only open ones that are over within a second,
-- which are few however many there are
-- gives next_due
WITH RECURSIVE
-- here queues_with_work
SELECT
    (SELECT min(at) FROM (
        SELECT min(run_at) AS at FROM windlass_job WHERE state IN ('scheduled', 'retrying')
        UNION ALL
        SELECT min(opens_at) FROM windlass_rate_gate WHERE opens_at IS NOT NULL)) - :now,
    (SELECT min(over_at) - :now FROM (
        SELECT iif(windlass_lease.state = 'open' AND renewed_at - ttl <= :now, renewed_at + ttl, :now) AS over_at
        FROM (SELECT DISTINCT lease FROM windlass_job WHERE :strays AND state = 'running') AS held
        LEFT JOIN windlass_lease ON windlass_lease.id = held.lease
        UNION ALL
        SELECT renewed_at + ttl FROM windlass_lease
        WHERE NOT :strays AND state = 'open' AND renewed_at + ttl <= :now + 1000
        AND EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.state = 'running' AND lease = windlass_lease.id))),
    :now,
    count(*), min(id),
    -- The first queue that is not paused answers: the others are not stepped through.
    EXISTS (
        SELECT 1 FROM ready WHERE queue IS NOT NULL
        AND NOT EXISTS (
            -- here queue_gates (queue = ready.queue)
        ))
    OR EXISTS (
        SELECT 1 FROM suspect WHERE queue IS NOT NULL
        AND NOT EXISTS (
            -- here queue_gates (queue = suspect.queue)
        )),
    NOT EXISTS (
        SELECT 1 FROM windlass_leader AS leader
        WHERE duty = :duty AND leader.renewed_at - leader.ttl <= :now AND :now < leader.renewed_at + leader.ttl),
    (SELECT min(start_by) FROM windlass_job
        WHERE start_by IS NOT NULL AND
            -- here may_expire (job = windlass_job)
    ) - :now,
    EXISTS (SELECT 1 FROM windlass_sent WHERE is_new = 1) OR EXISTS (SELECT 1 FROM windlass_step WHERE is_new = 1),
    EXISTS (SELECT 1 FROM windlass_edge WHERE state = 0),
    count(*) FILTER (WHERE id LIKE '%' || :ending)
FROM windlass_lease
WHERE
    -- here live_lease
    AND instr(id, ':') = 0
