-- 1. deliveries
-- Those that wait and are due, the longest overdue first.
-- gives deliveries
SELECT {Delivery} FROM windlass_alert_delivery WHERE state = 'waiting' AND next_try_at <= :now
ORDER BY next_try_at, number LIMIT :limit

-- 2. alerts
-- What they tell of.
-- gives alerts
SELECT {AlertRecord} FROM windlass_alert WHERE id IN (
    SELECT alert FROM windlass_alert_delivery WHERE state = 'waiting' AND next_try_at <= :now
    ORDER BY next_try_at, number LIMIT :limit)
