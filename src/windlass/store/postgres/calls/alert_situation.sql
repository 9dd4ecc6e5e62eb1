-- All rules, the alerts that are open, and those that were resolved in the last :within milliseconds, :limit of each.
-- gives rules
-- gives alerts
-- gives now
WITH
-- here clock
, found AS (
    (SELECT {AlertRecord} FROM windlass_alert WHERE resolved_at IS NULL LIMIT CAST(:limit AS bigint))
    UNION ALL
    (SELECT {AlertRecord} FROM windlass_alert
    WHERE resolved_at > (SELECT now FROM clock) - CAST(:within AS bigint)
    ORDER BY resolved_at DESC LIMIT CAST(:limit AS bigint))
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({AlertRule}) ORDER BY name), '[]') FROM windlass_alert_rule) AS rules,
    (SELECT coalesce(json_agg(json_build_array({AlertRecord})), '[]') FROM found) AS alerts,
    (SELECT json_build_array(json_build_array(now)) FROM clock) AS now
