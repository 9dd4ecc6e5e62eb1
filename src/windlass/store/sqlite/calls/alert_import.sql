-- 1. add
-- Alerts of another store that are not here; of each rule and subject one is open at a time.
-- :alerts rows (AlertRecord) as given
-- gives added
INSERT INTO windlass_alert ({AlertRecord}) SELECT {given.AlertRecord} FROM jsonb_each(:alerts) AS given WHERE true
ON CONFLICT DO NOTHING
RETURNING id

-- 2. deliver
-- only with deliveries
-- here alert_deliveries
