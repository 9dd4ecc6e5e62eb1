-- One rule, or all by name; also those that were deleted and are kept.
-- gives rules
-- gives now
WITH
-- here clock
SELECT
    (SELECT coalesce(json_agg(json_build_array({AlertRule}) ORDER BY name), '[]') FROM windlass_alert_rule
        WHERE CAST(:name AS text) IS NULL OR name = :name) AS rules,
    (SELECT json_build_array(json_build_array(now)) FROM clock) AS now
