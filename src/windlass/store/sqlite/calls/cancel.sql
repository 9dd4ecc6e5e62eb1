-- 1. held
-- The concurrency keys of jobs that are to run next, which another job may hold then.
-- binds freed as rows
SELECT DISTINCT concurrency_key FROM windlass_job
WHERE seq IN (SELECT value FROM jsonb_each(:seqs)) AND state = 'pending' AND promised = 1

-- 2. note
-- Says who cancels what the next two statements are going to change.
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT seq, :now, iif(state = 'running', 'cancel_requested', 'cancelled'), worker, fence,
    json_object('by', :by, 'reason', :reason)
FROM windlass_job
WHERE seq IN (SELECT value FROM jsonb_each(:seqs)) AND (
    state IN ('scheduled', 'pending', 'retrying', 'blocked') OR (state = 'running' AND cancel_requested_at IS NULL))

-- 3. key
-- A job that is cancelled here gives its unique key back.
DELETE FROM windlass_key WHERE until <> 'window' AND (key, id) IN (
    SELECT unique_key, id FROM windlass_job WHERE seq IN (SELECT value FROM jsonb_each(:seqs))
    AND state IN ('scheduled', 'pending', 'retrying', 'blocked'))

-- 4. cancel
-- Ends what waits; asks what runs to stop. A running job that is asked already stays as it is.
-- gives cancelled
UPDATE windlass_job SET
    state = iif(state = 'running', 'running', 'cancelled'),
    reason = iif(state = 'running', reason, NULL),
    finished_at = iif(state = 'running', NULL, :now),
    cancel_requested_at = :now,
    gate = NULL,
    promised = 0
WHERE seq IN (SELECT value FROM jsonb_each(:seqs)) AND (
    state IN ('scheduled', 'pending', 'retrying', 'blocked') OR (state = 'running' AND cancel_requested_at IS NULL))
RETURNING seq, state

-- 5. awaited
-- Whether jobs wait for others to end: nearly always none does.
-- binds awaited
-- here any_edges

-- 6. ended parents
-- What waits for the jobs that have ended here is to be looked at.
-- only if awaited
UPDATE windlass_edge SET state = 0 WHERE state = 1 AND parent IN (
    SELECT seq FROM windlass_job WHERE state IN ('completed', 'failed', 'cancelled') AND seq IN (SELECT value FROM jsonb_each(:seqs)))

-- here settle_awaited

-- 7. unblock
-- each freed (key)
-- here unblock
