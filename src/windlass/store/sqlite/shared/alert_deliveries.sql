-- What is to be delivered of alerts that have fired or were resolved; an event goes to a channel once.
-- :deliveries rows (alert, kind, channel) as told
INSERT INTO windlass_alert_delivery (alert, kind, channel, state, tries, created_at, next_try_at)
SELECT {told.alert}, {told.kind}, {told.channel}, 'waiting', 0, :now, :now
FROM jsonb_each(:deliveries) AS told CROSS JOIN windlass_alert AS alert ON alert.id = {told.alert}
WHERE {told.kind} = 'fired' OR alert.resolved_at IS NOT NULL
ON CONFLICT DO NOTHING
