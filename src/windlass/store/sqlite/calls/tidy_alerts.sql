-- 1. settled
-- Deliveries that were settled longer ago than :kept_for, :limit at a time.
-- gives settled
DELETE FROM windlass_alert_delivery WHERE number IN (
    SELECT number FROM windlass_alert_delivery WHERE settled_at < :now - :kept_for ORDER BY settled_at LIMIT :limit)
RETURNING 1

-- 2. many
-- The oldest deliveries beyond :most_deliveries.
-- gives many
DELETE FROM windlass_alert_delivery WHERE number IN (
    SELECT number FROM windlass_alert_delivery
    WHERE number <= (SELECT max(number) FROM windlass_alert_delivery) - :most_deliveries ORDER BY number LIMIT :limit)
RETURNING 1

-- 3. old
-- Alerts that were resolved longer ago than :kept_for.
-- gives old
DELETE FROM windlass_alert WHERE id IN (
    SELECT id FROM windlass_alert WHERE resolved_at < :now - :kept_for ORDER BY resolved_at LIMIT :limit)
RETURNING 1

-- 4. beyond
-- The oldest alerts beyond :most_alerts that are resolved.
-- gives beyond
DELETE FROM windlass_alert WHERE id IN (
    SELECT id FROM windlass_alert
    WHERE id <= (SELECT id FROM windlass_alert ORDER BY id DESC LIMIT 1 OFFSET :most_alerts)
    AND resolved_at IS NOT NULL ORDER BY id LIMIT :limit)
RETURNING 1

-- 5. mutes
-- Mutes that are over.
-- gives mutes
DELETE FROM windlass_mute WHERE ends_at <= :now RETURNING 1

-- 6. orphans
-- Deliveries that wait and whose alert is gone.
DELETE FROM windlass_alert_delivery WHERE number IN (
    SELECT number FROM windlass_alert_delivery AS delivery WHERE state = 'waiting'
    AND NOT EXISTS (SELECT 1 FROM windlass_alert WHERE id = delivery.alert) LIMIT :limit)
