-- Limits by name, with how many wait for a token; and the time.
-- gives limits
-- gives now
WITH
-- here clock
, found AS (
    SELECT stored.*, (SELECT count(*) FROM (
        SELECT 1 FROM windlass_waiter AS waiter WHERE waiter.name = stored.name AND waiter.until > clock.now
        LIMIT CAST(:most AS bigint)) AS line) AS waiting
    FROM windlass_limit AS stored, clock WHERE CAST(:name AS text) IS NULL OR stored.name = :name
)
SELECT (SELECT coalesce(json_agg(json_build_array({LimitRecord}) ORDER BY name), '[]') FROM found) AS limits,
    (SELECT json_build_array(json_build_array(now)) FROM clock) AS now
