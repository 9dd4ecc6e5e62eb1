-- 1. rules
-- gives rules
SELECT {AlertRule} FROM windlass_alert_rule ORDER BY name

-- 2. alerts
-- Those that are open, and those that were resolved in the last :within milliseconds, :limit of each.
-- gives alerts
SELECT * FROM (SELECT {AlertRecord} FROM windlass_alert WHERE resolved_at IS NULL LIMIT :limit)
UNION ALL
SELECT * FROM (
    SELECT {AlertRecord} FROM windlass_alert WHERE resolved_at > :now - :within ORDER BY resolved_at DESC LIMIT :limit)

-- 3. now
-- gives now
SELECT :now
