-- 1. mark
-- gives deleted
UPDATE windlass_alert_rule SET is_deleted = 1, revision = revision + 1, changed_at = :now,
    silenced_until = NULL, silenced_by = NULL, silenced_reason = NULL
WHERE name = :name AND NOT is_deleted
RETURNING 1

-- 2. remove
-- One that code has brought is kept, so that code does not bring it back.
DELETE FROM windlass_alert_rule WHERE name = :name AND is_deleted AND origin = 'operator'
