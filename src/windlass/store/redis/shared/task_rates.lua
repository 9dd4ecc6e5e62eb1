-- Rates of tasks as code declares them and as operators choose them; what holds is `rate_limit:TASK`. Needs KEY.task_rates,
-- KEY.gates and KEY.opening.
local TASK_RATES = {}
function TASK_RATES.key(task) return prefix .. 'task_rate:' .. task end

-- Sets fields of a task, or removes those that are nil, and makes what holds follow from them. Jobs that wait for a rate that
-- has changed, or is gone, are looked at by promote. Whether it has changed.
function TASK_RATES.set(task, fields, names)
    local key = TASK_RATES.key(task)
    for _, name in ipairs(names) do
        if fields[name] then redis.call('HSET', key, name, fields[name]) else redis.call('HDEL', key, name) end
    end
    local known = redis.call('HMGET', key, {known: declared, chosen})
    if known.declared or known.chosen then
        redis.call('ZADD', KEY.task_rates, 0, task)
    else
        redis.call('ZREM', KEY.task_rates, task)
        redis.call('DEL', key)
    end
    local holds, wanted = prefix .. 'rate_limit:' .. task, known.chosen or known.declared or '[]'
    if (redis.call('GET', holds) or '[]') == wanted then return false end
    if wanted == '[]' then redis.call('DEL', holds) else redis.call('SET', holds, wanted) end
    for _, gate in ipairs(redis.call('ZRANGEBYLEX', KEY.gates, '(' .. task .. '\t', '(' .. task .. '\n')) do
        redis.call('ZADD', KEY.opening, stamp, gate)
    end
    return true
end
