-- How a try has ended, unless another process has said so already.
-- KEYS counts, deliveries_due
-- asks number, tries, state, retry_in; error (or null)
-- gives settled: a row, unless another has said so; row (Delivery) as delivery
-- with allow_oom, alerts
local name = written(ask.number)
local delivery, key = ALERTS.read_delivery(name), ALERTS.delivery_key(name)
if not delivery or delivery.state ~= 'waiting' or tonumber(delivery.tries) ~= ask.tries then return {'settled', {}} end
local next_try = written(now + ask.retry_in)
redis.call('HSET', key, 'state', ask.state, 'tries', written(ask.tries + 1), 'next_try_at', next_try)
if ask.error then redis.call('HSET', key, 'last_error', ask.error) end
if ask.state == 'waiting' then
    redis.call('ZADD', KEY.deliveries_due, next_try, name)
else
    redis.call('HSET', key, 'settled_at', stamp)
    redis.call('ZREM', KEY.deliveries_due, name)
end
return {'settled', {{1}}}
