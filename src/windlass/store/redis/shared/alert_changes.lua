-- What changes alerts. Needs KEY.alerts_open, KEY.alerts_resolved, KEY.deliveries, KEY.deliveries_due, alerts.
-- row (AlertRecord) as alert
function ALERTS.resolve(alert, by)
    redis.call('HSET', ALERTS.key(alert.id), 'state', 'resolved', 'resolved_at', stamp)
    if by then redis.call('HSET', ALERTS.key(alert.id), 'resolved_by', by) end
    redis.call('HDEL', KEY.alerts_open, ALERTS.mark(alert.rule, alert.subject))
    redis.call('ZADD', KEY.alerts_resolved, stamp, alert.id)
end

-- Notes what is to be delivered of alerts that have changed: told is rows (alert, kind, channel) as one,
-- changed has KIND:ALERT for each of them.
function ALERTS.deliver(told, changed)
    local newest = redis.call('ZREVRANGE', KEY.deliveries, 0, 0)[1]
    local number = tonumber(newest) or 0
    for _, one in ipairs(told) do
        if changed[one.kind .. ':' .. one.alert] then
            number = number + 1
            local name = written(number)
            redis.call(
                'HSET', ALERTS.delivery_key(name), 'number', name, 'alert', one.alert, 'kind', one.kind,
                'channel', one.channel, 'state', 'waiting', 'tries', '0', 'created_at', stamp, 'next_try_at', stamp)
            redis.call('ZADD', KEY.deliveries, name, name)
            redis.call('ZADD', KEY.deliveries_due, stamp, name)
        end
    end
end
