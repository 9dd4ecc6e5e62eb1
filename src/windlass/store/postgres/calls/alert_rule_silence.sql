-- Silences a rule for :length milliseconds, or ends its silence where that is null.
-- gives silenced
WITH
-- here clock
UPDATE windlass_alert_rule AS rule SET silenced_until = clock.now + CAST(:length AS bigint),
    silenced_by = CAST(:by AS text), silenced_reason = CAST(:reason AS text)
FROM clock WHERE rule.name = CAST(:name AS text) AND rule.is_deleted = 0
RETURNING {rule.AlertRule}
