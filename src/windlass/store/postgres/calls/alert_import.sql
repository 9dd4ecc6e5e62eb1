-- Stores alerts of another store that are not here, and notes what is still to be delivered of them. Of each rule and
-- subject one alert is open at a time.
-- :alerts rows (AlertRecord) as given
-- :deliveries rows (alert, kind, channel) as told
-- gives added
WITH
-- here clock
, added AS (
    INSERT INTO windlass_alert ({AlertRecord})
    SELECT {given.AlertRecord; cast numbers as bigint}
    FROM jsonb_array_elements(CAST(:alerts AS jsonb)) AS given (value)
    ORDER BY ({given.rule}) COLLATE "C", ({given.subject}) COLLATE "C"
    ON CONFLICT DO NOTHING
    RETURNING id
), changed AS (
    SELECT added.id, kinds.kind FROM added, (VALUES ('fired'), ('resolved')) AS kinds (kind)
),
-- here alert_deliveries
SELECT id FROM added
