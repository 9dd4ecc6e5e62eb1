-- How many jobs of each task with the same rate key may be claimed in which time, as the code says, and which tasks have no
-- rate any more. Jobs that wait for a rate that has changed, or is gone, are looked at by promote.
-- KEYS counts, gates, opening
-- asks limits: rows (task, amount, period, burst) as one; without: rows (task) as other
-- gives changed: rows (task)
-- with allow_oom
local changed = {}
local function set_rate(task, text)
    local key = prefix .. 'rate_limit:' .. task
    if (redis.call('GET', key) or nil) == text then return end
    if text then redis.call('SET', key, text) else redis.call('DEL', key) end
    changed[#changed + 1] = {task}
    for _, gate in ipairs(redis.call('ZRANGEBYLEX', KEY.gates, '(' .. task .. '\t', '(' .. task .. '\n')) do
        redis.call('ZADD', KEY.opening, stamp, gate)
    end
end
for _, one in ipairs(ask.limits) do
    set_rate(one.task, string.format('[%s,%s,%s]', written(one.amount), written(one.period), written(one.burst)))
end
for _, other in ipairs(ask.without) do set_rate(other.task, nil) end
return {'changed', changed}
