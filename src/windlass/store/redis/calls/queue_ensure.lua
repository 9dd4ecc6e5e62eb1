-- Seeds queues with what the code says, also those that only their first job has made; what an operator has set, or
-- taken back, stays.
-- KEYS counts, queues, configured
-- asks queues: rows (name, weight, max_length, max_running, rate) as queue
-- gives nothing
-- with allow_oom, limits
-- A store of an older release knows not which of its queues have settings.
if redis.call('EXISTS', KEY.configured) == 0 then
    local known = redis.call('SMEMBERS', KEY.queues)
    redis.call('SADD', KEY.configured, '*')
    for _, name in ipairs(known) do
        if try('HLEN', queue_key(name)) ~= 0 then redis.call('SADD', KEY.configured, name) end
    end
end
for _, queue in ipairs(ask.queues) do
    local key = queue_key(queue.name)
    redis.call('SADD', KEY.queues, queue.name)
    if redis.call('HEXISTS', key, 'changed_at') == 0 then
        if queue.weight then
            redis.call('HSETNX', key, 'weight', queue.weight)
            redis.call('SADD', KEY.configured, queue.name)
        end
        if queue.max_length then redis.call('HSETNX', key, 'max_length', queue.max_length) end
        if queue.rate then redis.call('HSETNX', key, 'rate', queue.rate) end
        if queue.max_running then
            redis.call('HSETNX', key, 'max_running', queue.max_running)
            redis.call('SADD', KEY.configured, queue.name)
            if queue.name == '*' then follow_limit_of_all() end
        end
    end
end
return {}
