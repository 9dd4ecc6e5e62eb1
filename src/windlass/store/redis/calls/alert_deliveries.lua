-- The newest deliveries in these states, of those with a number below `before`.
-- KEYS deliveries
-- without epoch
-- asks limit, states; before (or null)
-- gives deliveries: rows (Delivery) as delivery
-- with alerts
local PAGE = 500
local from = ask.before and '(' .. written(ask.before) or '+inf'
local rows = {}
while #rows < ask.limit do
    local numbers = redis.call('ZREVRANGEBYSCORE', KEY.deliveries, from, '-inf', 'LIMIT', 0, PAGE)
    for _, number in ipairs(numbers) do
        local delivery = ALERTS.read_delivery(number)
        if delivery and #rows < ask.limit and ALERTS.has(ask.states, delivery.state) then
            rows[#rows + 1] = delivery
        end
    end
    if #numbers < PAGE then break end
    from = '(' .. numbers[#numbers]
end
return {'deliveries', rows}
