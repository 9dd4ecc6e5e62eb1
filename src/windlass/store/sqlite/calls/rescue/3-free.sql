-- Takes jobs away from leases that are over. The fence is raised here too, so that the former owner's endings can be
-- told from repetitions of its own. A lease that was renewed since the look keeps its jobs, and so does one whose job
-- was marked as started since: another look decides about that one.
-- :endings as in cycle/3-finish, and whether the run had started
-- gives rescued
UPDATE windlass_job SET
    state = iif(cancel_requested_at IS NULL, ending.state, 'cancelled'),
    reason = iif(cancel_requested_at IS NULL, ending.reason, NULL),
    attempt = attempt + ending.charge,
    crashes = crashes + ending.crash,
    rescues = rescues + ending.rescue,
    finished_at = iif(cancel_requested_at IS NOT NULL OR ending.state = 'failed', :now, NULL),
    errors = coalesce(ending.errors, windlass_job.errors),
    fence = windlass_job.fence + 1,
    lease = NULL,
    claim = NULL
FROM (
    SELECT value ->> 0 AS seq, value ->> 1 AS fence, value ->> 2 AS state, value ->> 3 AS reason, value ->> 4 AS charge,
        value ->> 5 AS crash, value ->> 6 AS rescue, value ->> 10 AS errors, value ->> 12 AS was_started
    FROM jsonb_each(:endings)
) AS ending
WHERE windlass_job.seq = ending.seq AND windlass_job.fence = ending.fence AND windlass_job.state = 'running'
AND (windlass_job.started_at IS NOT NULL) = ending.was_started
AND NOT EXISTS (SELECT 1 FROM windlass_lease WHERE id = windlass_job.lease AND state = 'open')
RETURNING windlass_job.id, windlass_job.state, windlass_job.worker
