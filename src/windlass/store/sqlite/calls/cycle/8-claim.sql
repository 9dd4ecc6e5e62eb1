-- Takes the next jobs of one queue, by priority and then by when they became ready, if the lease is open and in time.
-- each rooms (queue, room) unless room = 1
UPDATE windlass_job SET
    state = 'running', fence = fence + 1, lease = :lease, claim = :token, worker = :worker, claimed_at = :now,
    started_at = NULL, finished_at = NULL
WHERE seq IN (
    SELECT seq FROM windlass_job
    WHERE queue = :queue AND state = 'pending' AND crashes = 0 AND rescues = 0 ORDER BY priority DESC, run_at, seq
    -- less the suspect that this call took; a negative limit would be none at all
    LIMIT max(0, :room - (
        SELECT count(*) FROM windlass_job
        WHERE state = 'running' AND lease = :lease AND claim = :token AND queue = :queue)))
AND EXISTS (
    SELECT 1 FROM windlass_lease
    WHERE id = :lease AND state = 'open' AND renewed_at - ttl <= :now AND :now < renewed_at + ttl)
AND NOT EXISTS (SELECT 1 FROM windlass_queue WHERE name IN (:queue, '*') AND paused_at IS NOT NULL)
