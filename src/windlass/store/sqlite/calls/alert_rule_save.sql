-- Stores a new rule of an operator (:revision 0), or a change of the one that has this revision.
-- :rules rows (AlertRule) as given
-- :most how many rules there may be
-- gives saved
INSERT INTO windlass_alert_rule AS rule ({AlertRule})
SELECT {given.AlertRule; is_edited = 1; revision = 1; changed_at = :now; is_deleted = 0} FROM jsonb_each(:rules) AS given
WHERE EXISTS (SELECT 1 FROM windlass_alert_rule WHERE name = {given.name})
OR (:revision = 0 AND (SELECT count(*) FROM windlass_alert_rule) < :most)
ON CONFLICT (name) DO UPDATE SET
    expression = excluded.expression, scope = excluded.scope, window_length = excluded.window_length,
    severity = excluded.severity, cool_down = excluded.cool_down, enabled = excluded.enabled,
    channels = excluded.channels, description = excluded.description, is_edited = 1, revision = rule.revision + 1,
    changed_at = :now, is_deleted = 0
WHERE CASE WHEN :revision = 0 THEN rule.is_deleted ELSE NOT rule.is_deleted AND rule.revision = :revision END
RETURNING {AlertRule}
