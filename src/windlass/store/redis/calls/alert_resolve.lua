-- Resolves an open alert by hand, and notes that as to be delivered.
-- KEYS counts, alerts_open, alerts_resolved, deliveries, deliveries_due
-- asks id, by; deliveries: rows (alert, kind, channel)
-- gives resolved: a row, where it was open; row (AlertRecord) as alert
-- with allow_oom, alerts, alert_changes
local alert = ALERTS.read(ask.id)
if not alert or alert.resolved_at then return {'resolved', {}} end
ALERTS.resolve(alert, ask.by)
ALERTS.deliver(ask.deliveries, {['resolved:' .. ask.id] = true})
return {'resolved', {{1}}}
