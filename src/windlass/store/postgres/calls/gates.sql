-- What stands between a job and its run: jobs before it, no worker that serves its queue; of one that runs, how long its
-- owner has been silent. And whether any process keeps the store up. Then the gates that are shut for it, by the texts
-- with which claims ask.
-- gives gates
-- gives shut
-- gives holders
WITH
-- here clock
, job AS MATERIALIZED (
    SELECT seq, task, queue, priority, state, run_at, reason, worker, lease, rate_key, crashes + rescues > 0 AS suspect
    FROM windlass_record WHERE seq = CAST(:seq AS bigint)
), serving AS MATERIALIZED (
    SELECT count(*) AS serving, count(*) FILTER (
        WHERE worker.state NOT IN ('paused', 'draining') AND worker.signal IS DISTINCT FROM 'pause') AS willing
    FROM clock, job, windlass_worker AS worker JOIN windlass_lease AS lease ON lease.id = worker.lease
    WHERE
        -- here live_lease
    AND CAST(worker.info AS jsonb) -> 'queues' ? job.queue
), shut AS (
    SELECT gate.* FROM job CROSS JOIN LATERAL (
        -- here queue_gates (queue = job.queue, limits = windlass_gate, rates = windlass_rate)
    ) AS gate
    UNION ALL
    SELECT 'suspect_waits' AS gate, NULL, NULL, NULL, NULL, NULL FROM job
    WHERE job.state = 'pending' AND job.suspect AND NOT (
        -- here suspect_turn (suspect = job, queue = job.queue)
    )
    UNION ALL
    SELECT 'rate_cooling' AS gate, cooldown.began_at, NULL, cooldown.reason, cooldown.ends_at, NULL
    FROM clock, job JOIN windlass_cooldown AS cooldown ON cooldown.scope = 'task' AND cooldown.name = job.rate_key
    WHERE job.state IN ('pending', 'blocked') AND cooldown.began_at <= clock.now AND clock.now < cooldown.ends_at
    UNION ALL
    SELECT 'rate_out_of_tokens' AS gate, NULL, NULL, NULL, coalesce(
        rate.opens_at, windlass_token_due(rate, windlass_filled(rate, clock.now), 1, clock.now)), NULL
    FROM clock, job JOIN windlass_rate_limit AS known ON known.task = job.task
    JOIN windlass_rate_gate AS rate ON rate.name = job.rate_key
    WHERE job.state IN ('pending', 'blocked') AND (
        windlass_filled(rate, clock.now) < rate.period
        OR (rate.opens_at IS NOT NULL AND NOT coalesce((
            SELECT
                -- here rate_turn (row = next, key = job.rate_key)
            -- by all columns of the index that claims use
            FROM windlass_ready AS next WHERE next.queue = job.queue AND next.suspect = job.suspect
            AND next.priority = job.priority AND next.since = job.run_at AND next.seq = job.seq), false)))
), holder AS (
    -- Who runs under the limit that holds it; that of the app counts all.
    SELECT owner.id FROM (
        SELECT running.seq FROM windlass_running AS running, job
        WHERE job.state = 'pending' AND (
            'app_at_limit' IN (SELECT shut.gate FROM shut)
            OR ('queue_at_limit' IN (SELECT shut.gate FROM shut) AND running.queue = job.queue))
        LIMIT CAST(:holders AS integer)
    ) AS first CROSS JOIN LATERAL (
        SELECT job.seq, job.id FROM windlass_job AS job WHERE job.seq = first.seq OFFSET 0) AS owner
    ORDER BY owner.seq
), gates AS (
    SELECT job.state,
        -- Two walks through the index of ready jobs, both of them short.
        (SELECT count(*) FROM (
            (SELECT 1 FROM windlass_ready AS ready
                WHERE ready.queue = job.queue AND NOT ready.suspect AND ready.priority > job.priority LIMIT 1000)
            UNION ALL
            (SELECT 1 FROM windlass_ready AS ready
                WHERE ready.queue = job.queue AND NOT ready.suspect AND NOT job.suspect
                AND ready.priority = job.priority AND (ready.since, ready.seq) < (job.run_at, job.seq) LIMIT 1000)
            LIMIT 1000) AS ahead) AS ahead,
        serving.serving, serving.willing, job.run_at - clock.now AS due_in, job.reason, job.worker,
        (SELECT count(*) FROM (
            SELECT 1 FROM windlass_ready AS ready
            WHERE ready.queue = job.queue AND ready.suspect AND job.suspect
            AND (ready.priority > job.priority
                OR (ready.priority = job.priority AND (ready.since, ready.seq) < (job.run_at, job.seq)))
            LIMIT 1000) AS ahead) AS suspects_ahead,
        held.silent, coalesce(held.is_over, job.state = 'running') AS is_over,
        -- A process that does upkeep leads, or takes the lead soon after it is free.
        EXISTS (SELECT 1 FROM windlass_leader AS leader
            WHERE leader.duty = 'leader' AND leader.renewed_at - leader.ttl <= clock.now
            AND clock.now < leader.renewed_at + 2 * leader.ttl) AS is_tended
    FROM clock CROSS JOIN job CROSS JOIN serving LEFT JOIN LATERAL (
        SELECT clock.now - lease.renewed_at AS silent, NOT (
            -- here live_lease
        ) AS is_over
        FROM windlass_lease AS lease WHERE lease.id = job.lease AND job.state = 'running') AS held ON true
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({ClaimSituation; without shut, holders})), '[]') FROM gates) AS gates,
    (SELECT coalesce(json_agg(json_build_array({ShutGate})), '[]') FROM shut) AS shut,
    (SELECT json_agg(json_build_array(holder.id)) FROM holder) AS holders
