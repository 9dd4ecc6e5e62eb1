-- Stores rules of another store, unless an operator has changed the one of that name here since.
-- :rules rows (AlertRule) as given
INSERT INTO windlass_alert_rule AS rule ({AlertRule})
SELECT {given.AlertRule; revision = 1} FROM jsonb_each(:rules) AS given WHERE true
ON CONFLICT (name) DO UPDATE SET
    expression = excluded.expression, scope = excluded.scope, window_length = excluded.window_length,
    severity = excluded.severity, cool_down = excluded.cool_down, enabled = excluded.enabled,
    channels = excluded.channels, description = excluded.description, origin = excluded.origin,
    is_edited = excluded.is_edited, changed_at = excluded.changed_at, is_deleted = excluded.is_deleted,
    silenced_until = excluded.silenced_until, silenced_by = excluded.silenced_by, silenced_reason = excluded.silenced_reason,
    revision = rule.revision + 1
WHERE (NOT rule.is_edited AND NOT rule.is_deleted AND rule.origin <> 'operator') OR rule.changed_at < excluded.changed_at
