-- 1. deliveries
-- Those that wait and are due, the longest overdue first: of one channel, or of all but some. What waits is bounded
-- (MOST_DELIVERIES), so to pass over what is for others takes no index.
-- :channel the name of one, or null
-- :without JSON list of names
-- gives deliveries
SELECT {Delivery} FROM windlass_alert_delivery WHERE state = 'waiting' AND next_try_at <= :now
AND (:channel IS NULL OR channel = :channel) AND channel NOT IN (SELECT value FROM jsonb_each(:without))
ORDER BY next_try_at, number LIMIT :limit

-- 2. alerts
-- What they tell of.
-- gives alerts
SELECT {AlertRecord} FROM windlass_alert WHERE id IN (
    SELECT alert FROM windlass_alert_delivery WHERE state = 'waiting' AND next_try_at <= :now
    AND (:channel IS NULL OR channel = :channel) AND channel NOT IN (SELECT value FROM jsonb_each(:without))
    ORDER BY next_try_at, number LIMIT :limit)
