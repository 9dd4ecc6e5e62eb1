-- 1. opening
-- The :limit rates that have had a token for jobs that wait for the longest.
-- binds opening as rows
SELECT name FROM windlass_rate_gate WHERE opens_at IS NOT NULL AND opens_at <= :now ORDER BY opens_at LIMIT :limit

-- 2. open
-- Lets jobs go, in the order of claims. They take their tokens when they are claimed.
-- each opening (name)
-- gives let_go
UPDATE windlass_job SET state = 'pending', promised = 2, reason = NULL, gate = NULL
WHERE seq IN (
    SELECT seq FROM windlass_job WHERE state = 'blocked' AND gate = :name ORDER BY priority DESC, run_at, seq
    LIMIT max(0,
        -- here let_go_now
    ))
RETURNING 1

-- 3. open again
-- When there is a token for the next, if others wait. Where more were let go than there are tokens, that is not looked at
-- again and again; a claim brings it forward.
-- each opening (name)
UPDATE windlass_rate_gate SET level =
    -- here filled
, filled_at = :now, opens_at = CASE
    WHEN NOT EXISTS (SELECT 1 FROM windlass_job WHERE state = 'blocked' AND gate = :name) THEN NULL
    WHEN (
        -- here let_go_before
    ) * period > (
        -- here filled
    ) THEN :now + max(1000, (period + amount - 1) / amount)
    WHEN (
        -- here let_go_before
    ) >= burst THEN :now + max(20, (period + amount - 1) / amount)
    ELSE
        -- here opening (ahead = (SELECT count(*) FROM windlass_job AS next WHERE next.rate_key = :name AND next.promised = 2 AND next.state = 'pending'))
    END
WHERE name = :name
