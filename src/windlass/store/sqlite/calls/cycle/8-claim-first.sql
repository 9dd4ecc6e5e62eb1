-- Takes the next job of each queue that is asked for one, all in one go: a worker of many queues asks for hundreds.
-- 8-claim does the same for those that are asked for more.
-- :rooms rows (queue, room)
-- only with rooms (queue, room) where room = 1
UPDATE windlass_job SET
    state = 'running', fence = fence + 1, lease = :lease, claim = :token, worker = :worker, claimed_at = :now,
    started_at = NULL, finished_at = NULL
WHERE seq IN (
    SELECT (
        SELECT seq FROM windlass_job
        WHERE queue = asked.value ->> 0 AND state = 'pending' AND crashes = 0 AND rescues = 0
        ORDER BY priority DESC, run_at, seq LIMIT 1)
    FROM jsonb_each(:rooms) AS asked
    WHERE asked.value ->> 1 = 1 AND NOT EXISTS (
        SELECT 1 FROM windlass_queue WHERE name IN (asked.value ->> 0, '*') AND paused_at IS NOT NULL)
    -- the suspect that this call took
    AND asked.value ->> 0 NOT IN (
        SELECT queue FROM windlass_job WHERE state = 'running' AND lease = :lease AND claim = :token))
AND EXISTS (
    SELECT 1 FROM windlass_lease
    WHERE id = :lease AND state = 'open' AND renewed_at - ttl <= :now AND :now < renewed_at + ttl)
