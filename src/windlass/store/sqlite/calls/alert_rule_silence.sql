-- Silences a rule for :length milliseconds, or ends its silence where that is null.
-- gives silenced
UPDATE windlass_alert_rule SET silenced_until = :now + :length, silenced_by = :by, silenced_reason = :reason
WHERE name = :name AND NOT is_deleted
RETURNING {AlertRule}
