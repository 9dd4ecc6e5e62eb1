-- How many jobs of each task may hold the same concurrency key, as the code says.
-- KEYS counts, key_limits
-- asks limits: rows (task, number) as one
-- gives changed: rows (task) of those that were other numbers before
-- with allow_oom
local changed = {}
for _, one in ipairs(ask.limits) do
    local key = prefix .. 'key_limit:' .. one.task
    -- Also of those that an earlier release has declared, which has no such list.
    redis.call('ZADD', KEY.key_limits, 0, one.task)
    if tonumber(redis.call('HGET', key, 'declared')) ~= one.number then
        redis.call('HSET', key, 'declared', written(one.number))
        changed[#changed + 1] = {one.task}
    end
end
return {'changed', changed}
