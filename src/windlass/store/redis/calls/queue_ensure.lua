-- Seeds queues with what the code says, also those that only their first job has made; what an operator has set, or
-- taken back, stays.
-- KEYS counts, queues, configured
-- asks queues: rows (name, weight, max_length)
-- gives nothing
-- with allow_oom, paused
-- A store of an older release knows not which of its queues have settings.
if redis.call('EXISTS', KEY.configured) == 0 then
    local known = redis.call('SMEMBERS', KEY.queues)
    redis.call('SADD', KEY.configured, '*')
    for _, queue in ipairs(known) do
        if try('HLEN', queue_key(queue)) ~= 0 then redis.call('SADD', KEY.configured, queue) end
    end
end
for _, row in ipairs(ask.queues) do
    local key = queue_key(row[1])
    redis.call('SADD', KEY.queues, row[1])
    if redis.call('HEXISTS', key, 'changed_at') == 0 then
        if row[2] then
            redis.call('HSETNX', key, 'weight', row[2])
            redis.call('SADD', KEY.configured, row[1])
        end
        if row[3] then redis.call('HSETNX', key, 'max_length', row[3]) end
    end
end
return {}
