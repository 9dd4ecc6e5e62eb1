-- Stores a new rule of an operator (:revision 0), or a change of the one that has this revision.
-- :rules rows (AlertRule) as given
-- :most how many rules there may be
-- gives saved
WITH
-- here clock
INSERT INTO windlass_alert_rule AS rule ({AlertRule})
SELECT {given.AlertRule; cast numbers as bigint; is_edited = 1; revision = 1; changed_at = clock.now; is_deleted = 0}
FROM clock, jsonb_array_elements(CAST(:rules AS jsonb)) AS given (value)
WHERE EXISTS (SELECT 1 FROM windlass_alert_rule AS known WHERE known.name = {given.name})
OR (CAST(:revision AS bigint) = 0 AND (SELECT count(*) FROM windlass_alert_rule) < CAST(:most AS bigint))
ON CONFLICT (name) DO UPDATE SET
    expression = excluded.expression, scope = excluded.scope, window_length = excluded.window_length,
    severity = excluded.severity, cool_down = excluded.cool_down, enabled = excluded.enabled,
    channels = excluded.channels, description = excluded.description, is_edited = 1, revision = rule.revision + 1,
    changed_at = excluded.changed_at, is_deleted = 0
WHERE CASE WHEN CAST(:revision AS bigint) = 0 THEN rule.is_deleted = 1
    ELSE rule.is_deleted = 0 AND rule.revision = CAST(:revision AS bigint) END
RETURNING {rule.AlertRule}
