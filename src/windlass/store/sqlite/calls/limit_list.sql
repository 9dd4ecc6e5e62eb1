-- 1. limits
-- Limits by name, with how many wait for a token.
-- gives limits
SELECT {LimitRecord;
    waiting = (SELECT count(*) FROM (
        SELECT 1 FROM windlass_waiter WHERE windlass_waiter.name = windlass_limit.name AND until > :now LIMIT :most))}
FROM windlass_limit WHERE :name IS NULL OR name = :name ORDER BY name

-- 2. now
-- gives now
SELECT :now
