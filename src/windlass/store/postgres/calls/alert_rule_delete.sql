-- Deletes a rule. One that code has brought is kept, so that code does not bring it back.
-- gives deleted
WITH
-- here clock
, marked AS (
    UPDATE windlass_alert_rule AS rule SET is_deleted = 1, revision = rule.revision + 1, changed_at = clock.now,
        silenced_until = NULL, silenced_by = NULL, silenced_reason = NULL
    FROM clock WHERE rule.name = CAST(:name AS text) AND rule.is_deleted = 0 AND rule.origin <> 'operator'
    RETURNING 1
), removed AS (
    DELETE FROM windlass_alert_rule AS rule WHERE rule.name = CAST(:name AS text) AND rule.origin = 'operator'
    RETURNING 1
)
SELECT 1 FROM marked UNION ALL SELECT 1 FROM removed
