-- Ends runs in every other way, under the same condition. A cancel request turns every ending but completed into
-- cancelled.
-- :endings rows (seq, fence, state, reason, charge, crash, rescue, delay, ran_for, result, errors)
-- only with endings
UPDATE windlass_job SET
    state = CASE WHEN cancel_requested_at IS NULL OR ending.state = 'completed' THEN ending.state ELSE 'cancelled' END,
    reason = CASE WHEN cancel_requested_at IS NULL OR ending.state = 'completed' THEN ending.reason END,
    attempt = attempt + ending.charge,
    crashes = crashes + ending.crash,
    rescues = rescues + ending.rescue,
    run_at = coalesce(:now + ending.delay, run_at),
    started_at = coalesce(started_at, :now - ending.ran_for),
    finished_at = CASE WHEN cancel_requested_at IS NOT NULL OR ending.state IN ('completed', 'failed', 'cancelled')
        THEN :now END,
    -- how long it has been unknown to every worker that met it; any other ending starts that clock anew
    unknown_at = CASE WHEN ending.reason = 'unknown_task' THEN coalesce(unknown_at, :now) END,
    result = ending.result,
    errors = coalesce(ending.errors, windlass_job.errors),
    lease = NULL,
    claim = NULL
FROM (
    SELECT value ->> 0 AS seq, value ->> 1 AS fence, value ->> 2 AS state, value ->> 3 AS reason, value ->> 4 AS charge,
        value ->> 5 AS crash, value ->> 6 AS rescue, value ->> 7 AS delay, value ->> 8 AS ran_for,
        value ->> 9 AS result, value ->> 10 AS errors
    FROM jsonb_each(:endings)
) AS ending
WHERE windlass_job.seq = ending.seq AND windlass_job.fence = ending.fence AND windlass_job.state = 'running'
