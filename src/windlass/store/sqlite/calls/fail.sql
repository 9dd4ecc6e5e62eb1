-- 1. freed
-- The concurrency keys that these jobs hold, which others may hold then.
-- :endings rows (Ending, found) as ending; found is the state in which the job was seen
-- binds freed as rows
SELECT DISTINCT windlass_job.concurrency_key FROM jsonb_each(:endings) AS ending
JOIN windlass_job ON windlass_job.seq = {ending.seq}
WHERE windlass_job.concurrency_key IS NOT NULL AND windlass_job.fence = {ending.fence}
AND windlass_job.state = {ending.found} AND (windlass_job.state = 'running' OR promised = 1)

-- 2. note
-- Says who fails what the last statement is going to change (the same condition).
-- :endings rows (Ending, found) as ending
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT windlass_job.seq, :now, 'failed_by_hand', worker, windlass_job.fence,
    json_object('by', :by, 'reason', :reason, 'from', windlass_job.state)
FROM jsonb_each(:endings) AS ending JOIN windlass_job ON windlass_job.seq = {ending.seq}
WHERE windlass_job.fence = {ending.fence} AND windlass_job.state = {ending.found}
AND windlass_job.state NOT IN ('completed', 'failed', 'cancelled')

-- 3. uncount
-- What runs of them runs no more.
-- :endings rows (Ending, found) as ending
UPDATE windlass_gate SET running = running - (
    SELECT count(DISTINCT windlass_job.seq)
    FROM jsonb_each(:endings) AS ending JOIN windlass_job ON windlass_job.seq = {ending.seq}
    WHERE windlass_job.fence = {ending.fence} AND windlass_job.state = 'running' AND {ending.found} = 'running'
    AND windlass_gate.name IN ('*', queue))

-- 4. lease
-- The lease of a manual claim goes with its job; a worker's, which has no colon, holds other jobs too.
-- :endings rows (Ending, found) as ending
DELETE FROM windlass_lease WHERE id IN (
    SELECT lease FROM jsonb_each(:endings) AS ending JOIN windlass_job ON windlass_job.seq = {ending.seq}
    WHERE windlass_job.fence = {ending.fence} AND windlass_job.state = 'running' AND {ending.found} = 'running'
    AND instr(lease, ':') > 0)

-- 5. key
-- A job that is failed here gives its unique key back.
-- :endings rows (Ending, found) as ending
DELETE FROM windlass_key WHERE until <> 'window' AND (key, id) IN (
    SELECT windlass_job.unique_key, windlass_job.id
    FROM jsonb_each(:endings) AS ending JOIN windlass_job ON windlass_job.seq = {ending.seq}
    WHERE windlass_job.fence = {ending.fence} AND windlass_job.state = {ending.found}
    AND windlass_job.state NOT IN ('completed', 'failed', 'cancelled'))

-- 6. fail
-- Ends jobs that wait or run. The fence of a run is raised, so that its owner finds out that it has lost the job, and its
-- ending changes nothing. A job that has moved on since it was seen stays as it is.
-- :endings rows (Ending, found)
-- gives failed
UPDATE windlass_job SET
    state = 'failed',
    reason = ending.reason,
    attempt = attempt + ending.charge,
    finished_at = :now,
    errors = coalesce(ending.errors, windlass_job.errors),
    cause = ending.cause,
    attempts = CASE WHEN windlass_job.state <> 'running' OR started_at IS NULL THEN attempts ELSE
        -- here attempts_after (outcome = 'failed')
        END,
    gate = NULL,
    promised = 0,
    fence = windlass_job.fence + (windlass_job.state = 'running'),
    lease = NULL,
    claim = NULL
FROM (
    SELECT {endings.Ending; named; without unique_key, concurrency_key}, {endings.found} AS found FROM jsonb_each(:endings)
) AS ending
WHERE windlass_job.seq = ending.seq AND windlass_job.fence = ending.fence AND windlass_job.state = ending.found
AND windlass_job.state NOT IN ('completed', 'failed', 'cancelled')
RETURNING windlass_job.seq

-- 7. awaited
-- Whether jobs wait for others to end: nearly always none does.
-- binds awaited
-- here any_edges

-- 8. ended parents
-- What waits for the jobs that have ended here is to be looked at.
-- :endings rows (Ending, found) as ending
-- only if awaited
UPDATE windlass_edge SET state = 0 WHERE state = 1 AND parent IN (
    SELECT seq FROM windlass_job WHERE state IN ('completed', 'failed', 'cancelled') AND seq IN (SELECT {ending.seq} FROM jsonb_each(:endings) AS ending))

-- here settle_awaited

-- 9. unblock
-- each freed (key)
-- here unblock
