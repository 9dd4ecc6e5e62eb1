-- The newest deliveries in these states, of those with a number below :before.
-- gives deliveries
SELECT {Delivery} FROM windlass_alert_delivery
WHERE (:before IS NULL OR number < :before)
AND (json_array_length(:states) = 0 OR state IN (SELECT value FROM jsonb_each(:states)))
ORDER BY number DESC LIMIT :limit
