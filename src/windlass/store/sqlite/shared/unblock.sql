-- Lets as many of the jobs that wait for :key go as may hold it, in the order of claims.
UPDATE windlass_job SET state = 'pending', promised = 1, reason = NULL, gate = NULL
WHERE seq IN (
    SELECT seq FROM windlass_job WHERE state = 'blocked' AND gate = :key ORDER BY priority DESC, run_at, seq
    LIMIT max(0, (
        -- here key_room (key = :key)
    )))
