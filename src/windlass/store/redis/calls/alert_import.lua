-- Stores alerts of another store that are not here, and notes what is still to be delivered of them. Of each rule and
-- subject one alert is open at a time.
-- KEYS alerts, alerts_open, alerts_resolved, deliveries, deliveries_due
-- asks alerts: rows (AlertRecord) as alert; deliveries: rows (alert, kind, channel)
-- gives added: rows (id)
-- with alerts, alert_changes
local added, changed = {}, {}
for _, alert in ipairs(ask.alerts) do
    local mark = ALERTS.mark(alert.rule, alert.subject)
    local open = not alert.resolved_at and redis.call('HGET', KEY.alerts_open, mark)
    if not (open and ALERTS.read(open)) and not ALERTS.read(alert.id) then
        ALERTS.write(ALERTS.key(alert.id), {{AlertRecord}}, alert)
        redis.call('ZADD', KEY.alerts, 0, alert.id)
        if alert.resolved_at then
            redis.call('ZADD', KEY.alerts_resolved, written(alert.resolved_at), alert.id)
        else
            redis.call('HSET', KEY.alerts_open, mark, alert.id)
        end
        added[#added + 1] = {alert.id}
        changed['fired:' .. alert.id], changed['resolved:' .. alert.id] = true, true
    end
end
ALERTS.deliver(ask.deliveries, changed)
return {'added', added}
