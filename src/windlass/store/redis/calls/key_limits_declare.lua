-- How many jobs of each task may hold the same concurrency key, as the code says.
-- KEYS counts
-- asks limits: rows (task, number) as one
-- gives changed: rows (task) of those that were other numbers before
-- with allow_oom
local changed = {}
for _, one in ipairs(ask.limits) do
    local key = prefix .. 'key_limit:' .. one.task
    if tonumber(redis.call('HGET', key, 'declared')) ~= one.number then
        redis.call('HSET', key, 'declared', written(one.number))
        changed[#changed + 1] = {one.task}
    end
end
return {'changed', changed}
