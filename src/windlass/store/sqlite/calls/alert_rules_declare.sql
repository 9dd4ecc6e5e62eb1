-- Stores the rules that code brings. One that is there follows the code until an operator has changed or deleted it.
-- :rules rows (AlertRule) as given
INSERT INTO windlass_alert_rule AS rule ({AlertRule})
SELECT {given.AlertRule; revision = 1; changed_at = :now} FROM jsonb_each(:rules) AS given WHERE true
ON CONFLICT (name) DO UPDATE SET
    expression = excluded.expression, scope = excluded.scope, window_length = excluded.window_length,
    severity = excluded.severity, cool_down = excluded.cool_down, enabled = excluded.enabled,
    channels = excluded.channels, description = excluded.description, origin = excluded.origin,
    revision = rule.revision + 1, changed_at = :now
WHERE rule.origin <> 'operator' AND NOT rule.is_edited AND NOT rule.is_deleted
AND (rule.expression, rule.scope, rule.window_length, rule.severity, rule.cool_down, rule.enabled, rule.channels,
    rule.description, rule.origin)
IS NOT (excluded.expression, excluded.scope, excluded.window_length, excluded.severity, excluded.cool_down,
    excluded.enabled, excluded.channels, excluded.description, excluded.origin)
