-- What stands between a job and its run: a pause, jobs before it, nobody who serves its queue; of one that runs, how
-- long its owner has been silent. And whether any process keeps the store up.
-- gives gates
WITH clock AS (
-- here clock
), job AS MATERIALIZED (
    SELECT seq, queue, priority, state, run_at, reason, worker, lease, crashes + rescues > 0 AS suspect
    FROM windlass_record WHERE seq = CAST(:seq AS bigint)
), paused AS MATERIALIZED (
    SELECT queue.name, queue.paused_reason FROM windlass_queue AS queue
    WHERE queue.name IN ('*', (SELECT queue FROM job)) AND queue.paused_at IS NOT NULL
), serving AS MATERIALIZED (
    SELECT count(*) AS total, count(*) FILTER (
        WHERE worker.state NOT IN ('paused', 'draining') AND worker.signal IS DISTINCT FROM 'pause') AS willing
    FROM clock, job, windlass_worker AS worker JOIN windlass_lease AS lease ON lease.id = worker.lease
    WHERE lease.state = 'open' AND lease.renewed_at - lease.ttl <= clock.now
    AND clock.now < lease.renewed_at + lease.ttl AND CAST(worker.info AS jsonb) -> 'queues' ? job.queue
)
SELECT job.state,
    (SELECT string_agg(name, ',' ORDER BY name) FROM paused),
    (SELECT paused_reason FROM paused ORDER BY name LIMIT 1),
    -- Two walks through the index of ready jobs, both of them short.
    (SELECT count(*) FROM (
        (SELECT 1 FROM windlass_ready AS ready
            WHERE ready.queue = job.queue AND NOT ready.suspect AND ready.priority > job.priority LIMIT 1000)
        UNION ALL
        (SELECT 1 FROM windlass_ready AS ready
            WHERE ready.queue = job.queue AND NOT ready.suspect AND NOT job.suspect
            AND ready.priority = job.priority AND (ready.since, ready.seq) < (job.run_at, job.seq) LIMIT 1000)
        LIMIT 1000) AS ahead),
    serving.total, serving.willing, job.run_at - clock.now, job.reason, job.worker,
    (SELECT count(*) FROM (
        SELECT 1 FROM windlass_ready AS ready
        WHERE ready.queue = job.queue AND ready.suspect AND job.suspect
        AND (ready.priority > job.priority OR (ready.priority = job.priority AND (ready.since, ready.seq) < (job.run_at, job.seq)))
        LIMIT 1000) AS ahead),
    held.silent, coalesce(held.is_over, job.state = 'running'),
    -- Whoever does upkeep leads, or takes the lead soon after it is free.
    EXISTS (SELECT 1 FROM windlass_leader AS leader
        WHERE leader.duty = 'leader' AND leader.renewed_at - leader.ttl <= clock.now
        AND clock.now < leader.renewed_at + 2 * leader.ttl)
FROM clock CROSS JOIN job CROSS JOIN serving LEFT JOIN LATERAL (
    SELECT clock.now - lease.renewed_at AS silent, lease.state <> 'open' OR NOT (
        lease.renewed_at - lease.ttl <= clock.now AND clock.now < lease.renewed_at + lease.ttl) AS is_over
    FROM windlass_lease AS lease WHERE lease.id = job.lease AND job.state = 'running') AS held ON true
