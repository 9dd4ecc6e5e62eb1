-- Takes at most one suspect of all queues that have room, if the lease is open and in time. It comes before the others of
-- its priority, which it was ahead of once, but not before those of a higher one.
-- :rooms rows (queue, room)
-- :takes_suspect 1, or 0 for a worker that has one in flight
-- only with takes_suspect
UPDATE windlass_job SET
    state = 'running', fence = fence + 1, lease = :lease, claim = :token, worker = :worker, claimed_at = :now,
    started_at = NULL, finished_at = NULL
WHERE seq = (
    SELECT found.seq FROM (
        SELECT (
            SELECT first.seq FROM (
                SELECT seq, priority FROM windlass_job
                WHERE queue = asked.value ->> 0 AND state = 'pending' AND crashes + rescues > 0
                ORDER BY priority DESC, run_at, seq LIMIT 1) AS first
            WHERE first.priority >= coalesce((
                SELECT priority FROM windlass_job
                WHERE queue = asked.value ->> 0 AND state = 'pending' AND crashes = 0 AND rescues = 0
                ORDER BY priority DESC, run_at, seq LIMIT 1), -1000)
            AND NOT EXISTS (
                SELECT 1 FROM windlass_queue WHERE name IN (asked.value ->> 0, '*') AND paused_at IS NOT NULL)) AS seq
        FROM jsonb_each(:rooms) AS asked WHERE asked.value ->> 1 > 0) AS found
    WHERE found.seq IS NOT NULL LIMIT 1)
AND EXISTS (
    SELECT 1 FROM windlass_lease
    WHERE id = :lease AND state = 'open' AND renewed_at - ttl <= :now AND :now < renewed_at + ttl)
