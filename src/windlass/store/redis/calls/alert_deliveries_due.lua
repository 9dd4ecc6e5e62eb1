-- Deliveries that wait and are due, the longest overdue first, and the alerts that they tell of: of one channel, or of
-- all but some. What waits is bounded (MOST_DELIVERIES), so what is for others is passed over, a page at a time.
-- KEYS deliveries_due
-- without epoch
-- asks limit, without (names of channels); channel (its name, or null)
-- gives deliveries: rows (Delivery) as delivery; alerts: rows (AlertRecord)
-- with alerts
local PAGE = 500
local deliveries, rows, seen, left_out = {}, {}, {}, {}
for _, channel in ipairs(ask.without) do left_out[channel] = true end
local function is_wanted(number)
    local channel = redis.call('HGET', ALERTS.delivery_key(number), 'channel')
    return channel and not left_out[channel] and (not ask.channel or channel == ask.channel)
end
local from = 0
while #deliveries < ask.limit do
    local numbers = redis.call('ZRANGEBYSCORE', KEY.deliveries_due, '-inf', stamp, 'LIMIT', from, PAGE)
    for _, number in ipairs(numbers) do
        local delivery = #deliveries < ask.limit and is_wanted(number) and ALERTS.read_delivery(number)
        if delivery then
            deliveries[#deliveries + 1] = delivery
            if not seen[delivery.alert] then
                seen[delivery.alert] = true
                rows[#rows + 1] = ALERTS.read(delivery.alert)
            end
        end
    end
    if #numbers < PAGE then break end
    from = from + PAGE
end
return {'deliveries', deliveries, 'alerts', rows}
