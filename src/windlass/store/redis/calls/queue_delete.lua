-- Removes a queue that has no jobs left; its settings go with it.
-- KEYS counts, queues, configured
-- asks name
-- gives deleted: one row (name), if it was
-- with allow_oom, rates
local STATES = {'scheduled', 'pending', 'blocked', 'running', 'retrying', 'completed', 'failed', 'cancelled'}
local fields = {}
for index, state in ipairs(STATES) do fields[index] = state .. ':' .. ask.name end

for _, jobs in ipairs(redis.call('HMGET', KEY.counts, unpack(fields))) do
    if (tonumber(jobs) or 0) > 0 then return {'deleted', {}} end
end
if redis.call('SREM', KEY.queues, ask.name) == 0 then return {'deleted', {}} end
redis.call('HDEL', KEY.counts, unpack(fields))
redis.call('DEL', queue_key(ask.name), RATES.key(ask.name))
redis.call('SREM', KEY.configured, ask.name)
return {'deleted', {{ask.name}}}
