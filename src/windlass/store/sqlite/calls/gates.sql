-- 1. gates
-- What stands between a job and its run: jobs before it, no worker that serves its queue; of one that runs, how long its
-- owner has been silent. And whether any process keeps the store up.
-- gives gates
SELECT {ClaimSituation; without shut, holders} FROM (
    SELECT windlass_job.state,
        -- Two walks through the index of ready jobs, both of them short.
        (SELECT min(1000, sum(number)) FROM (
            SELECT count(*) AS number FROM (
                SELECT 1 FROM windlass_job AS earlier
                WHERE earlier.queue = windlass_job.queue AND earlier.state = 'pending'
                AND earlier.crashes = 0 AND earlier.rescues = 0
                AND earlier.priority > windlass_job.priority LIMIT 1000)
            UNION ALL
            SELECT count(*) FROM (
                SELECT 1 FROM windlass_job AS earlier
                WHERE earlier.queue = windlass_job.queue AND earlier.state = 'pending'
                AND earlier.crashes = 0 AND earlier.rescues = 0 AND windlass_job.crashes + windlass_job.rescues = 0
                AND earlier.priority = windlass_job.priority
                AND (earlier.run_at, earlier.seq) < (windlass_job.run_at, windlass_job.seq) LIMIT 1000))) AS ahead,
        serving.serving, serving.willing,
        windlass_job.run_at - :now AS due_in, windlass_job.reason, windlass_job.worker,
        (SELECT count(*) FROM (
            SELECT 1 FROM windlass_job AS earlier
            WHERE windlass_job.crashes + windlass_job.rescues > 0
            AND earlier.queue = windlass_job.queue AND earlier.state = 'pending'
            AND earlier.crashes + earlier.rescues > 0
            AND (earlier.priority > windlass_job.priority
                OR (earlier.priority = windlass_job.priority
                    AND (earlier.run_at, earlier.seq) < (windlass_job.run_at, windlass_job.seq)))
            LIMIT 1000)) AS suspects_ahead,
        held.silent, coalesce(held.is_over, windlass_job.state = 'running') AS is_over,
        -- A process that does upkeep leads, or takes the lead soon after it is free.
        EXISTS (SELECT 1 FROM windlass_leader
            WHERE duty = 'leader' AND renewed_at - ttl <= :now AND :now < renewed_at + 2 * ttl) AS is_tended
    FROM windlass_job LEFT JOIN (
        SELECT id AS lease, :now - renewed_at AS silent, NOT (
            -- here live_lease
        ) AS is_over
        FROM windlass_lease) AS held ON held.lease = windlass_job.lease AND windlass_job.state = 'running', (
        SELECT count(*) AS serving, count(*) FILTER (
            WHERE windlass_worker.state NOT IN ('paused', 'draining') AND signal IS NOT 'pause') AS willing
        FROM windlass_worker JOIN windlass_lease ON windlass_lease.id = windlass_worker.lease
        WHERE
            -- here live_lease
        AND EXISTS (SELECT 1 FROM json_each(info, '$.queues')
            WHERE json_each.value = (SELECT queue FROM windlass_job WHERE seq = :seq))) AS serving
    WHERE seq = :seq)

-- 2. shut
-- The gates that are shut for it, by the texts with which claims ask.
-- gives shut
SELECT {ShutGate} FROM (
    -- here queue_gates (queue = (SELECT queue FROM windlass_job WHERE seq = :seq))
    UNION ALL
    SELECT 'suspect_waits' AS gate, NULL, NULL, NULL, NULL, NULL FROM windlass_job AS suspect
    WHERE suspect.seq = :seq AND suspect.state = 'pending' AND suspect.crashes + suspect.rescues > 0 AND NOT (
        -- here suspect_turn (suspect = suspect, queue = suspect.queue)
    )
    UNION ALL
    SELECT 'rate_cooling' AS gate, began_at, NULL, windlass_cooldown.reason, ends_at, NULL
    FROM windlass_job AS rated JOIN windlass_cooldown ON scope = 'task' AND name = rated.rate_key
    WHERE rated.seq = :seq AND rated.state IN ('pending', 'blocked') AND began_at <= :now AND :now < ends_at
    UNION ALL
    SELECT 'rate_out_of_tokens' AS gate, NULL, NULL, NULL, (
        SELECT coalesce(opens_at,
            -- here opening (ahead = 0)
        ) FROM windlass_rate_gate WHERE name = rated.rate_key), NULL
    FROM windlass_job AS rated
    WHERE rated.seq = :seq AND rated.state IN ('pending', 'blocked') AND rated.rate_key IS NOT NULL AND
        -- here is_out (job = rated, own = own.lease IS NULL)
    )

-- 3. holders
-- Who runs under the limit that holds it; that of the app counts all.
-- gives holders
SELECT id FROM (
    SELECT seq, id FROM windlass_job INDEXED BY windlass_job_held
    WHERE state = 'running' AND (
        EXISTS (SELECT 1 FROM windlass_gate WHERE name = '*' AND running >= max_running)
        OR (queue = (SELECT queue FROM windlass_job WHERE seq = :seq) AND EXISTS (
            SELECT 1 FROM windlass_gate WHERE name = windlass_job.queue AND running >= max_running)))
    LIMIT :holders)
ORDER BY seq
