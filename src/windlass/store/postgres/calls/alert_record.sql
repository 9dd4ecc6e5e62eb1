-- Stores alerts that fire, marks others as resolved, and notes what is to be delivered of both; not for a process that
-- leads no more. Of each rule and subject one alert is open at a time.
-- :fired rows (AlertRecord)
-- :resolved rows (id)
-- :unsilenced rows (id)
-- :deliveries rows (alert, kind, channel) as told
-- guard stale
-- gives fired
-- gives resolved
WITH
-- here clock
, lead AS MATERIALIZED (
    SELECT 1 FROM clock, windlass_leader AS leader
    WHERE leader.duty = :duty AND leader.holder = :holder AND leader.term = CAST(:term AS bigint)
    AND leader.renewed_at - leader.ttl <= clock.now AND clock.now < leader.renewed_at + leader.ttl
), fire AS (
    INSERT INTO windlass_alert ({AlertRecord})
    SELECT {fired.AlertRecord; cast numbers as bigint} FROM jsonb_array_elements(CAST(:fired AS jsonb))
    WHERE EXISTS (SELECT 1 FROM lead)
    ORDER BY ({fired.rule}) COLLATE "C", ({fired.subject}) COLLATE "C"
    ON CONFLICT DO NOTHING
    RETURNING id
), resolve AS (
    UPDATE windlass_alert SET state = 'resolved', resolved_at = clock.now FROM clock
    WHERE id = ANY (ARRAY(SELECT {resolved.id} FROM jsonb_array_elements(CAST(:resolved AS jsonb))))
    AND resolved_at IS NULL AND EXISTS (SELECT 1 FROM lead)
    RETURNING id
), unsilence AS (
    -- They fired in a silence that is over, and are told now.
    UPDATE windlass_alert SET silenced_until = NULL
    WHERE id = ANY (ARRAY(SELECT {unsilenced.id} FROM jsonb_array_elements(CAST(:unsilenced AS jsonb))))
    AND silenced_until IS NOT NULL AND resolved_at IS NULL AND EXISTS (SELECT 1 FROM lead)
    RETURNING id
), changed AS (
    SELECT id, 'fired' AS kind FROM fire UNION ALL SELECT id, 'fired' FROM unsilence
    UNION ALL SELECT id, 'resolved' FROM resolve
),
-- here alert_deliveries
SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM lead) THEN '[[1]]' END AS stale,
    (SELECT coalesce(json_agg(json_build_array(id)), '[]') FROM fire) AS fired,
    (SELECT coalesce(json_agg(json_build_array(id)), '[]') FROM resolve) AS resolved
