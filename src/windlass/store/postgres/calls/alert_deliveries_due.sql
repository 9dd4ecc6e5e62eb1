-- Deliveries that wait and are due, the longest overdue first, and the alerts that they tell of.
-- gives deliveries
-- gives alerts
WITH
-- here clock
, due AS MATERIALIZED (
    SELECT {Delivery} FROM windlass_alert_delivery
    WHERE state = 'waiting' AND next_try_at <= (SELECT now FROM clock)
    ORDER BY next_try_at, number LIMIT CAST(:limit AS bigint)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({Delivery}) ORDER BY next_try_at, number), '[]') FROM due) AS deliveries,
    (SELECT coalesce(json_agg(json_build_array({AlertRecord})), '[]') FROM windlass_alert
        WHERE id = ANY (ARRAY(SELECT alert FROM due))) AS alerts
