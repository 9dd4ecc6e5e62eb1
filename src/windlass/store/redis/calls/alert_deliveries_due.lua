-- Deliveries that wait and are due, the longest overdue first, and the alerts that they tell of.
-- KEYS deliveries_due
-- without epoch
-- asks limit
-- gives deliveries: rows (Delivery) as delivery; alerts: rows (AlertRecord)
-- with alerts
local deliveries, rows, seen = {}, {}, {}
for _, number in ipairs(redis.call('ZRANGEBYSCORE', KEY.deliveries_due, '-inf', stamp, 'LIMIT', 0, ask.limit)) do
    local delivery = ALERTS.read_delivery(number)
    if delivery then
        deliveries[#deliveries + 1] = delivery
        if not seen[delivery.alert] then
            seen[delivery.alert] = true
            rows[#rows + 1] = ALERTS.read(delivery.alert)
        end
    end
end
return {'deliveries', deliveries, 'alerts', rows}
