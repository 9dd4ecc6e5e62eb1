-- 1. closed
-- guard closed
SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM windlass_alert WHERE id = :id AND resolved_at IS NULL)

-- 2. resolve
-- gives resolved
UPDATE windlass_alert SET state = 'resolved', resolved_at = :now, resolved_by = :by WHERE id = :id RETURNING 1

-- 3. deliver
-- only with deliveries
-- here alert_deliveries
