-- The newest deliveries in these states, of those with a number below :before.
-- gives deliveries
SELECT {Delivery} FROM windlass_alert_delivery
WHERE (CAST(:before AS bigint) IS NULL OR number < CAST(:before AS bigint))
AND (jsonb_array_length(CAST(:states AS jsonb)) = 0
    OR state IN (SELECT jsonb_array_elements_text(CAST(:states AS jsonb))))
ORDER BY number DESC LIMIT CAST(:limit AS bigint)
