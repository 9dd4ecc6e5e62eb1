-- Removes deliveries that were settled, and alerts that were resolved, longer ago than :kept_for; the oldest beyond
-- :most_deliveries, and the oldest resolved beyond :most_alerts; :limit of each at a time; and mutes that are over.
-- gives settled
-- gives many
-- gives old
-- gives beyond
-- gives mutes
--
-- Takes no lock that another transaction has, so that it never waits; what it skips goes next time.
WITH
-- here clock
, settled AS MATERIALIZED (
    SELECT number FROM windlass_alert_delivery
    WHERE settled_at < (SELECT now FROM clock) - CAST(:kept_for AS bigint)
    ORDER BY settled_at LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), many AS MATERIALIZED (
    SELECT number FROM windlass_alert_delivery
    WHERE number <= (SELECT max(number) FROM windlass_alert_delivery) - CAST(:most_deliveries AS bigint)
    ORDER BY number LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), old AS MATERIALIZED (
    SELECT id FROM windlass_alert WHERE resolved_at < (SELECT now FROM clock) - CAST(:kept_for AS bigint)
    ORDER BY resolved_at LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), beyond AS MATERIALIZED (
    SELECT id FROM windlass_alert
    WHERE id <= (SELECT id FROM windlass_alert ORDER BY id DESC LIMIT 1 OFFSET CAST(:most_alerts AS bigint))
    AND resolved_at IS NOT NULL ORDER BY id LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), orphan AS MATERIALIZED (
    -- Deliveries that wait and whose alert is gone.
    SELECT number FROM windlass_alert_delivery AS delivery WHERE state = 'waiting'
    AND NOT EXISTS (SELECT 1 FROM windlass_alert AS alert WHERE alert.id = delivery.alert)
    LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), over AS MATERIALIZED (
    SELECT cause FROM windlass_mute WHERE ends_at <= (SELECT now FROM clock)
    ORDER BY ends_at LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), unmuted AS (
    DELETE FROM windlass_mute WHERE cause = ANY (ARRAY(SELECT cause FROM over))
), gone AS (
    DELETE FROM windlass_alert_delivery WHERE number = ANY (ARRAY(
        SELECT number FROM settled UNION SELECT number FROM many UNION SELECT number FROM orphan))
), forgotten AS (
    DELETE FROM windlass_alert WHERE id = ANY (ARRAY(SELECT id FROM old UNION SELECT id FROM beyond))
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM settled) AS settled,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM many) AS many,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM old) AS old,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM beyond) AS beyond,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM over) AS mutes
