-- Sets queues up as the code says, also those that only their first job has made; settings that an operator has changed, or
-- taken back, stay.
-- KEYS counts, queues, configured
-- asks queues: rows (name, weight, max_length, max_running, rate, retention, retry, cooldown) as queue
-- gives nothing
-- with allow_oom, limits, decided
-- A store of an older release knows not which of its queues have settings.
if redis.call('EXISTS', KEY.configured) == 0 then
    local known = redis.call('SMEMBERS', KEY.queues)
    redis.call('SADD', KEY.configured, '*')
    for _, name in ipairs(known) do
        if try('HLEN', queue_key(name)) ~= 0 then redis.call('SADD', KEY.configured, name) end
    end
end
for _, queue in ipairs(ask.queues) do
    redis.call('SADD', KEY.queues, queue.name)
    local declared = {
        weight = queue.weight, max_length = queue.max_length, max_running = queue.max_running, rate = queue.rate,
        retention = queue.retention, retry = queue.retry, cooldown = queue.cooldown}
    local decided = next(declared) and DECIDED.of(queue.name)
    for setting, value in pairs(declared) do
        if not decided[setting] then
            redis.call('HSET', queue_key(queue.name), setting, value)
            redis.call('SADD', KEY.configured, queue.name)
        end
    end
    if queue.name == '*' then follow_limit_of_all() end
end
return {}
