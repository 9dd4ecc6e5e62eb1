-- Stores the rules that code brings. One that is there follows the code until an operator has changed or deleted it.
-- :rules rows (AlertRule) as given
WITH
-- here clock
INSERT INTO windlass_alert_rule AS rule ({AlertRule})
SELECT {given.AlertRule; cast numbers as bigint; revision = 1; changed_at = clock.now}
FROM clock, jsonb_array_elements(CAST(:rules AS jsonb)) AS given (value)
ORDER BY ({given.name}) COLLATE "C"
ON CONFLICT (name) DO UPDATE SET
    expression = excluded.expression, scope = excluded.scope, window_length = excluded.window_length,
    severity = excluded.severity, cool_down = excluded.cool_down, enabled = excluded.enabled,
    channels = excluded.channels, description = excluded.description, origin = excluded.origin,
    revision = rule.revision + 1, changed_at = excluded.changed_at
WHERE rule.origin <> 'operator' AND rule.is_edited = 0 AND rule.is_deleted = 0
AND (rule.expression, rule.scope, rule.window_length, rule.severity, rule.cool_down, rule.enabled, rule.channels,
    rule.description, rule.origin)
IS DISTINCT FROM (excluded.expression, excluded.scope, excluded.window_length, excluded.severity, excluded.cool_down,
    excluded.enabled, excluded.channels, excluded.description, excluded.origin)
