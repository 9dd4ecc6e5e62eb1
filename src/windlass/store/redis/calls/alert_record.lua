-- Stores alerts that fire, marks others as resolved, and notes what is to be delivered of both; not for a process that
-- leads no more. Of each rule and subject one alert is open at a time.
-- KEYS counts, alerts, alerts_open, alerts_resolved, deliveries, deliveries_due
-- asks duty, holder, term; fired: rows (AlertRecord) as alert; resolved: rows (id) as gone; unsilenced: rows (id)
-- as heard; deliveries: rows (alert, kind, channel)
-- gives stale: a row, and nothing else: it leads no more; fired, resolved: rows (id)
-- with allow_oom, leader, alerts, alert_changes
local leader = read_leader(ask.duty)
if not (leader.holder == ask.holder and leader.term == ask.term and leader.is_in_time) then
    return {'stale', {{1}}}
end
local fired, resolved, changed = {}, {}, {}
for _, alert in ipairs(ask.fired) do
    local mark = ALERTS.mark(alert.rule, alert.subject)
    local open = redis.call('HGET', KEY.alerts_open, mark)
    -- One whose data has vanished is not open.
    if not (open and ALERTS.read(open)) and not ALERTS.read(alert.id) then
        ALERTS.write(ALERTS.key(alert.id), {{AlertRecord}}, alert)
        redis.call('ZADD', KEY.alerts, 0, alert.id)
        redis.call('HSET', KEY.alerts_open, mark, alert.id)
        fired[#fired + 1] = {alert.id}
        changed['fired:' .. alert.id] = true
    end
end
for _, gone in ipairs(ask.resolved) do
    local alert = ALERTS.read(gone.id)
    if alert and not alert.resolved_at then
        ALERTS.resolve(alert)
        resolved[#resolved + 1] = {alert.id}
        changed['resolved:' .. alert.id] = true
    end
end
-- They fired in a silence that is over, and are told now.
for _, heard in ipairs(ask.unsilenced) do
    local alert = ALERTS.read(heard.id)
    if alert and alert.silenced_until and not alert.resolved_at then
        redis.call('HDEL', ALERTS.key(alert.id), 'silenced_until')
        changed['fired:' .. alert.id] = true
    end
end
ALERTS.deliver(ask.deliveries, changed)
return {'fired', fired, 'resolved', resolved}
