-- 1. stale
-- Nothing is fired by a process that leads no more.
-- guard stale
SELECT 1 WHERE NOT EXISTS (
    SELECT 1 FROM windlass_leader WHERE duty = :duty AND holder = :holder AND term = :term
    AND renewed_at - ttl <= :now AND :now < renewed_at + ttl)

-- 2. forget
-- :keys rows (id, key, until, window) as keyed
-- only with keys
-- here free_keys (keys = SELECT {keyed.key} FROM jsonb_each(:keys) AS keyed)

-- 3. judge
-- The steps whose schedules have the revision that the leader has seen, each with what becomes of it behind its fields.
-- :steps rows (FireStep) as step
-- :jobs rows (NewJob) as jobs
-- :keys rows (id, key, until, window) as keyed
-- binds taken
WITH seen AS MATERIALIZED (
    SELECT step.key AS place, step.value AS row, {step.job} AS job, {step.overlap} AS overlap, {step.was_held} AS was_held,
        coalesce(schedule.held_for = 'overlap', false) AS is_buffering,
        NOT {step.was_held} AND EXISTS (
            SELECT 1 FROM windlass_fire WHERE schedule = schedule.name AND planned_at = {step.slot}) AS is_repeated,
        {step.overlap} <> 'allow' AND EXISTS (
            SELECT 1 FROM windlass_job WHERE id = schedule.last_job
            AND state NOT IN ('completed', 'failed', 'cancelled')) AS is_alive
    FROM jsonb_each(:steps) AS step JOIN windlass_schedule AS schedule
    ON schedule.name = {step.name} AND schedule.revision = {step.revision}
), judged AS MATERIALIZED (
    -- While one slot is kept back, a later one does not get ahead of it.
    SELECT place, row, job, CASE
        WHEN is_repeated THEN 'repeated'
        WHEN job IS NULL THEN 'noted'
        WHEN NOT is_alive AND NOT (overlap = 'buffer' AND is_buffering AND NOT was_held) THEN 'made'
        WHEN overlap = 'skip' THEN 'overlap'
        WHEN was_held THEN 'stays'
        WHEN is_buffering THEN 'overlap'
        ELSE 'held' END AS verdict
    FROM seen
), asked AS MATERIALIZED (
    SELECT {jobs.id} AS id, {jobs.queue} AS queue, {jobs.unique_key} AS unique_key FROM jsonb_each(:jobs) AS jobs
), unheld AS MATERIALIZED (
    -- The first of the call's jobs to name a free key takes it.
    SELECT place, job, queue FROM (
        SELECT judged.place, judged.job, asked.queue, asked.unique_key,
            row_number() OVER (PARTITION BY asked.unique_key ORDER BY judged.place) AS turn
        FROM judged JOIN asked ON asked.id = judged.job WHERE judged.verdict = 'made')
    WHERE unique_key IS NULL
    OR (turn = 1 AND NOT EXISTS (SELECT 1 FROM windlass_key WHERE windlass_key.key = unique_key))
), fitting AS MATERIALIZED (
    -- Only queues with a limit are counted, and the limit itself bounds what there is to count.
    SELECT job FROM (
        SELECT unheld.job, windlass_queue.name, max_length,
            row_number() OVER (PARTITION BY unheld.queue ORDER BY unheld.place) AS turn
        FROM unheld LEFT JOIN windlass_queue ON windlass_queue.name = unheld.queue AND max_length IS NOT NULL)
    AS wanted
    WHERE max_length IS NULL OR turn +
        -- here queue_length (queue = wanted.name)
        <= max_length
)
SELECT json_group_array(json(json_insert(row, '$[#]', CASE
    WHEN verdict <> 'made' OR job IN (SELECT job FROM fitting) THEN verdict
    WHEN job IN (SELECT job FROM unheld) THEN 'queue_full'
    ELSE 'unique' END)))
FROM judged

-- 4. key
-- :taken rows (FireStep, verdict) as step
-- :keys rows (id, key, until, window) as keyed
-- only with keys
INSERT INTO windlass_key (key, id, until, expires_at)
SELECT {keyed.key}, {keyed.id}, {keyed.until}, :now + ({keyed.window}) FROM jsonb_each(:keys) AS keyed
WHERE {keyed.id} IN (SELECT {step.job} FROM jsonb_each(:taken) AS step WHERE {step.verdict} = 'made')

-- 5. queue
-- A queue exists from its first job on.
-- :taken rows (FireStep, verdict) as step
-- :jobs rows (NewJob) as jobs
-- only with jobs
INSERT INTO windlass_queue (name)
SELECT DISTINCT {jobs.queue} FROM jsonb_each(:jobs) AS jobs
WHERE {jobs.id} IN (SELECT {step.job} FROM jsonb_each(:taken) AS step WHERE {step.verdict} = 'made')
ON CONFLICT DO NOTHING

-- 6. insert
-- :taken rows (FireStep, verdict) as step
-- :jobs rows (NewJob) as jobs
-- only with jobs
-- here insert_jobs
WHERE {jobs.id} IN (SELECT {step.job} FROM jsonb_each(:taken) AS step WHERE {step.verdict} = 'made')
ORDER BY jobs.key

-- 7. missed
-- One row of the ledger for all slots that were missed.
-- :taken rows (FireStep, verdict) as step
INSERT INTO windlass_fire (schedule, planned_at, at, outcome, last_at, count)
SELECT {step.name}, {step.missed_from}, :now, 'missed', {step.missed_to}, {step.missed}
FROM jsonb_each(:taken) AS step WHERE {step.missed} > 0
ON CONFLICT DO NOTHING

-- 8. fire
-- The slot's own row; that of a slot that was kept back is there already.
-- :taken rows (FireStep, verdict) as step
INSERT INTO windlass_fire (schedule, planned_at, at, outcome, reason, job)
SELECT {step.name}, {step.slot}, :now,
    CASE {step.verdict}
        WHEN 'made' THEN {step.outcome} WHEN 'noted' THEN {step.outcome} WHEN 'held' THEN 'buffered' ELSE 'skipped' END,
    CASE {step.verdict} WHEN 'made' THEN NULL WHEN 'noted' THEN {step.reason} WHEN 'held' THEN 'overlap'
        ELSE {step.verdict} END,
    iif({step.verdict} = 'made', {step.job}, NULL)
FROM jsonb_each(:taken) AS step
WHERE {step.slot} IS NOT NULL AND {step.verdict} NOT IN ('stays', 'repeated')
ON CONFLICT (schedule, planned_at) DO UPDATE SET
    at = excluded.at, outcome = excluded.outcome, reason = excluded.reason, job = excluded.job

-- 9. advance
-- A slot that is kept back for another reason than overlap goes with the next one.
-- :taken rows (FireStep, verdict) as step
UPDATE windlass_schedule SET
    revision = windlass_schedule.revision + 1, planned_at = step.planned_at, next_at = step.next_at,
    due_at = CASE WHEN step.held_at IS NULL THEN step.due_at
        ELSE min(step.again_at, coalesce(step.due_at, step.again_at)) END,
    last_job = coalesce(step.made, last_job), held_at = step.held_at, held_for = step.held_for,
    fires = fires + step.rows
FROM (
    SELECT {step.name} AS name, {step.planned_at} AS planned_at, {step.next_at} AS next_at, {step.due_at} AS due_at,
        {step.again_at} AS again_at, iif({step.verdict} = 'made', {step.job}, NULL) AS made,
        CASE
            WHEN {step.verdict} = 'held' OR ({step.verdict} = 'noted' AND {step.outcome} = 'error') THEN {step.slot}
            WHEN {step.verdict} = 'stays' THEN schedule.held_at
            WHEN NOT {step.was_held} AND schedule.held_for = 'overlap' THEN schedule.held_at
        END AS held_at,
        CASE
            WHEN {step.verdict} = 'held' THEN 'overlap'
            WHEN {step.verdict} = 'noted' AND {step.outcome} = 'error' THEN 'error'
            WHEN {step.verdict} = 'stays' THEN schedule.held_for
            WHEN NOT {step.was_held} THEN iif(schedule.held_for = 'overlap', 'overlap', NULL)
        END AS held_for,
        ({step.missed} > 0) + ({step.slot} IS NOT NULL AND {step.verdict} NOT IN ('stays', 'repeated')) AS rows
    FROM jsonb_each(:taken) AS step JOIN windlass_schedule AS schedule ON schedule.name = {step.name}
) AS step
WHERE windlass_schedule.name = step.name

-- 10. prune
-- The ledger keeps the newest rows of each schedule. Each step adds two at the most, so now and then is enough.
-- :taken rows (FireStep, verdict) as step
DELETE FROM windlass_fire WHERE (schedule, planned_at) IN (
    SELECT old.schedule, old.planned_at
    FROM jsonb_each(:taken) AS step
    JOIN windlass_schedule ON windlass_schedule.name = {step.name} AND windlass_schedule.fires % 16 < 2
    JOIN windlass_fire AS old ON old.schedule = windlass_schedule.name AND old.planned_at <= (
        SELECT planned_at FROM windlass_fire WHERE schedule = windlass_schedule.name
        ORDER BY planned_at DESC LIMIT 1 OFFSET :kept))

-- 11. taken
-- :taken rows (FireStep, verdict) as step
-- gives taken
SELECT {step.name}, {step.verdict} FROM jsonb_each(:taken) AS step
