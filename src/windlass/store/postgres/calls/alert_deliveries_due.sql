-- Deliveries that wait and are due, the longest overdue first, and the alerts that they tell of: of one channel, or of
-- all but some. What waits is bounded (MOST_DELIVERIES), so to pass over what is for others takes no index.
-- :channel the name of one, or null
-- :without JSON list of names
-- gives deliveries
-- gives alerts
WITH
-- here clock
, due AS MATERIALIZED (
    SELECT {Delivery} FROM windlass_alert_delivery
    WHERE state = 'waiting' AND next_try_at <= (SELECT now FROM clock)
    AND (CAST(:channel AS text) IS NULL OR channel = CAST(:channel AS text))
    AND NOT channel = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:without AS jsonb))))
    ORDER BY next_try_at, number LIMIT CAST(:limit AS bigint)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({Delivery}) ORDER BY next_try_at, number), '[]') FROM due) AS deliveries,
    (SELECT coalesce(json_agg(json_build_array({AlertRecord})), '[]') FROM windlass_alert
        WHERE id = ANY (ARRAY(SELECT alert FROM due))) AS alerts
