-- What stands between a pending job and its claim: a pause, jobs before it, nobody who serves its queue.
-- gives gates
WITH clock AS (
-- here clock
), job AS MATERIALIZED (
    SELECT seq, queue, priority, state, run_at, reason, worker, crashes + rescues > 0 AS suspect
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
        LIMIT 1000) AS ahead)
FROM clock, job, serving
