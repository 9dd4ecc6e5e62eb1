-- Resolves an open alert by hand, and notes that as to be delivered.
-- :deliveries rows (alert, kind, channel) as told
-- gives resolved
WITH
-- here clock
, changed AS (
    UPDATE windlass_alert SET state = 'resolved', resolved_at = clock.now, resolved_by = CAST(:by AS text)
    FROM clock WHERE id = CAST(:id AS text) AND resolved_at IS NULL
    RETURNING id, 'resolved' AS kind
),
-- here alert_deliveries
SELECT 1 FROM changed
