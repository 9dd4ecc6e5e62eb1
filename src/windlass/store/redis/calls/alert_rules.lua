-- One rule, or all by name; also those that were deleted and are kept.
-- KEYS alert_rules
-- without epoch
-- asks name (or null for all)
-- gives rules: rows (AlertRule); now: one row (milliseconds since 1970)
-- with alerts
return {'rules', ask.name and {ALERTS.read_rule(ask.name)} or ALERTS.rules(), 'now', {{now}}}
