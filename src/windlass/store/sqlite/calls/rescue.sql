-- 1. lose
-- Ends the leases that are over. Until this is committed their owners may still renew them. Which job is held responsible
-- for the loss stays with the lease: the first decision counts.
-- :culprits rows (lease, seq) as culprit
UPDATE windlass_lease SET
    state = 'lost',
    blamed = coalesce(blamed, (
        SELECT {culprit.seq} FROM jsonb_each(:culprits) AS culprit WHERE {culprit.lease} = windlass_lease.id))
WHERE id IN (SELECT value FROM jsonb_each(:leases))
AND NOT (
    -- here live_lease
)

-- 2. note
-- Leaves a trace of each rescue that free is going to make.
-- :endings rows (Ending, was_started) as ending
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT windlass_job.seq, :now, 'rescued', worker, windlass_job.fence, json_patch(
    json_object('by', :by, 'started', json(iif(started_at IS NULL, 'false', 'true'))),
    -- nothing where no job is held responsible for the loss
    json_object('blamed', (
        SELECT culprit.id FROM windlass_lease JOIN windlass_job AS culprit ON culprit.seq = windlass_lease.blamed
        WHERE windlass_lease.id = windlass_job.lease)))
FROM jsonb_each(:endings) AS ending JOIN windlass_job ON windlass_job.seq = {ending.seq}
WHERE windlass_job.fence = {ending.fence} AND state = 'running' AND (started_at IS NOT NULL) = {ending.was_started}
AND NOT EXISTS (
    SELECT 1 FROM windlass_lease WHERE id = windlass_job.lease AND state = 'open')
ORDER BY windlass_job.seq

-- 3. uncount
-- What free is going to take away runs no more.
-- :endings rows (Ending, was_started) as ending
UPDATE windlass_gate SET running = running - (
    SELECT count(DISTINCT windlass_job.seq)
    FROM jsonb_each(:endings) AS ending JOIN windlass_job ON windlass_job.seq = {ending.seq}
    WHERE windlass_job.fence = {ending.fence} AND state = 'running' AND (started_at IS NOT NULL) = {ending.was_started}
    AND NOT EXISTS (SELECT 1 FROM windlass_lease WHERE id = windlass_job.lease AND windlass_lease.state = 'open')
    AND windlass_gate.name IN ('*', queue))

-- 4. free
-- Takes jobs away from leases that have expired. The fence is raised here too, so that the former owner's endings can be
-- distinguished from repetitions of its own. A lease that was renewed since it was read keeps its jobs, and so does one
-- whose job was marked as started since: the next round decides about that one. A job whose concurrency key others wait for
-- is one of them again, so that it goes when it is the first.
-- :endings rows (Ending, was_started)
-- gives rescued
UPDATE windlass_job SET
    state = iif(ending.returns, 'blocked', iif(cancel_requested_at IS NULL, ending.state, 'cancelled')),
    reason = iif(ending.returns, 'key', iif(cancel_requested_at IS NULL, ending.reason, NULL)),
    gate = iif(ending.returns, concurrency_key, NULL),
    attempt = attempt + ending.charge,
    -- never below zero: a step that was recorded since the job was read has set them back
    crashes = max(0, crashes + ending.crash),
    rescues = max(0, rescues + ending.rescue),
    finished_at = iif(cancel_requested_at IS NOT NULL OR ending.state = 'failed', :now, NULL),
    errors = coalesce(ending.errors, windlass_job.errors),
    cause = iif(cancel_requested_at IS NULL, ending.cause, NULL),
    attempts =
        -- here attempts_after (outcome = 'lost')
    ,
    -- it is the first start that has to be in time
    start_by = CASE WHEN started_at IS NULL OR cancel_requested_at IS NOT NULL OR ending.state = 'failed'
        THEN start_by END,
    fence = windlass_job.fence + 1,
    lease = NULL,
    claim = NULL
FROM (
    SELECT {endings.Ending; named; without result, unique_key, concurrency_key}, {endings.was_started} AS was_started,
        -- here returns_to_line (seq = {endings.seq}, state = {endings.state})
        AS returns
    FROM jsonb_each(:endings)
) AS ending
WHERE windlass_job.seq = ending.seq AND windlass_job.fence = ending.fence AND windlass_job.state = 'running'
AND (windlass_job.started_at IS NOT NULL) = ending.was_started
AND NOT EXISTS (SELECT 1 FROM windlass_lease WHERE id = windlass_job.lease AND state = 'open')
RETURNING windlass_job.id, iif(windlass_job.state = 'blocked', 'pending', windlass_job.state), windlass_job.worker

-- 5. awaited
-- Whether jobs wait for others to end: nearly always none does.
-- binds awaited
-- here any_edges

-- 6. ended parents
-- What waits for the jobs that have ended here is to be looked at.
-- :endings rows (Ending, was_started) as ending
-- only if awaited
UPDATE windlass_edge SET state = 0 WHERE state = 1 AND parent IN (
    SELECT seq FROM windlass_job WHERE state IN ('completed', 'failed', 'cancelled') AND seq IN (SELECT {ending.seq} FROM jsonb_each(:endings) AS ending))

-- here settle_awaited

-- 7. key
-- A job that rescue finished gives its unique key back, and so does one that has begun a run if the key was held until
-- then; free has raised its fence by one.
-- :keys rows (key, seq, fence) as held
-- only with keys
DELETE FROM windlass_key WHERE until <> 'window' AND (key, id) IN (
    SELECT {held.key}, windlass_job.id
    FROM jsonb_each(:keys) AS held JOIN windlass_job ON windlass_job.seq = {held.seq}
    JOIN windlass_key AS kept ON kept.key = {held.key}
    WHERE windlass_job.fence = ({held.fence}) + 1 AND (
        windlass_job.state IN ('completed', 'failed', 'cancelled')
        OR (kept.until = 'started' AND (windlass_job.attempt > 0 OR windlass_job.started_at IS NOT NULL))))

-- 8. unblock
-- The next jobs of the concurrency keys that rescued jobs held.
-- :gates rows (key)
-- each gates (key)
-- here unblock

-- 9. close
-- A lost lease whose jobs are all free has done its duty as a marker for its owner after a day; that of a manual claim
-- goes with its job.
DELETE FROM windlass_lease WHERE state = 'lost' AND (
    renewed_at < :now - 86400000 OR (id IN (SELECT value FROM jsonb_each(:leases)) AND instr(id, ':') > 0))
