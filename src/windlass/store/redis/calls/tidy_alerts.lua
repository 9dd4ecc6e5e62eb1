-- Removes deliveries that were settled, and alerts that were resolved, longer ago than `kept_for`; the oldest beyond
-- `most_deliveries`, and the oldest resolved beyond `most_alerts`; `limit` of each at a time; and mutes that are over.
-- KEYS counts, alerts, alerts_open, alerts_resolved, deliveries, deliveries_due, mutes
-- asks kept_for, most_alerts, most_deliveries, limit
-- gives deliveries, alerts, mutes: a row for each that was removed; row (Delivery) as delivery; row (AlertRecord) as alert
-- with allow_oom, alerts, mutes
local deliveries, alerts = {}, {}
local excess = redis.call('ZCARD', KEY.deliveries) - ask.most_deliveries
for index, number in ipairs(redis.call('ZRANGE', KEY.deliveries, 0, ask.limit - 1)) do
    local delivery = ALERTS.read_delivery(number)
    local settled_at = delivery and (tonumber(delivery.settled_at) or now)
    -- One whose alert is gone has nothing to tell.
    local is_orphan = not delivery or (delivery.state == 'waiting' and not ALERTS.read(delivery.alert))
    if index <= excess or is_orphan or settled_at < now - ask.kept_for then
        redis.call('DEL', ALERTS.delivery_key(number))
        redis.call('ZREM', KEY.deliveries, number)
        redis.call('ZREM', KEY.deliveries_due, number)
        deliveries[#deliveries + 1] = {1}
    end
end
local function remove(id)
    redis.call('DEL', ALERTS.key(id))
    redis.call('ZREM', KEY.alerts, id)
    redis.call('ZREM', KEY.alerts_resolved, id)
    alerts[#alerts + 1] = {1}
end
local before = '(' .. written(now - ask.kept_for)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEY.alerts_resolved, '-inf', before, 'LIMIT', 0, ask.limit)) do
    remove(id)
end
local beyond = math.min(redis.call('ZCARD', KEY.alerts) - ask.most_alerts, ask.limit)
if beyond > 0 then
    for _, id in ipairs(redis.call('ZRANGE', KEY.alerts, 0, beyond - 1)) do
        local alert = ALERTS.read(id)
        if not alert or alert.resolved_at then remove(id) end
    end
end
-- Marks of alerts whose data has vanished.
for _, mark in ipairs(redis.call('HKEYS', KEY.alerts_open)) do
    if not ALERTS.read(redis.call('HGET', KEY.alerts_open, mark)) then redis.call('HDEL', KEY.alerts_open, mark) end
end
local mutes, over = {}, select(2, MUTES.told_apart(redis.call('HVALS', KEY.mutes)))
for index, cause in ipairs(over) do
    redis.call('HDEL', KEY.mutes, cause)
    mutes[index] = {1}
end
return {'deliveries', deliveries, 'alerts', alerts, 'mutes', mutes}
