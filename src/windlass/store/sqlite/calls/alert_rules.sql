-- 1. rules
-- One rule, or all by name; also those that were deleted and are kept.
-- gives rules
SELECT {AlertRule} FROM windlass_alert_rule WHERE :name IS NULL OR name = :name ORDER BY name

-- 2. now
-- gives now
SELECT :now
