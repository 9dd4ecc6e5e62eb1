-- Counts failures of tasks by cause, and begins a cool-down of each task of which one cause has too many in its window.
-- KEYS counts, cooldowns
-- asks slices: of how many slices a window consists; kept: how many counts of a task there may be; failures: rows
--      (Failures) as given
-- gives tripped: rows (Tripped) of the tasks that cool down by this call
-- with allow_oom, cooldowns
local tripped = {}

-- How often a cause has failed in the window and since an instant, as far as it was counted; and how many counts of the
-- task there are. What the window has left behind goes.
local function look(key, given, since)
    local number, kept, fields = 0, 0, redis.call('HGETALL', key)
    for index = 1, #fields, 2 do
        local cause, at = string.match(fields[index], '^(%S+) (%d+)$')
        at = tonumber(at) or 0
        if at <= now - given.within then
            redis.call('HDEL', key, fields[index])
        else
            kept = kept + 1
            if cause == given.cause and at >= since then number = number + tonumber(fields[index + 1]) end
        end
    end
    return number, kept
end

local function trip(given)
    local cooldown = COOLDOWNS.key('task', given.task)
    local last = redis.call('HMGET', cooldown, {last: began_at, ends_at, run})
    local began_at, ends_at = tonumber(last.began_at) or 0, tonumber(last.ends_at) or 0
    -- What fails while the task cools down belongs to the same trouble.
    if began_at <= now and now < ends_at then return end
    local key = prefix .. 'failures:' .. given.task
    local at = now - now % math.max(1, math.floor(given.within / ask.slices))
    local field = given.cause .. ' ' .. written(at)
    local number, kept = look(key, given, began_at)
    if kept < ask.kept or redis.call('HEXISTS', key, field) == 1 then
        redis.call('HINCRBY', key, field, given.number)
        redis.call('PEXPIRE', key, written(given.within))
        if at >= began_at then number = number + given.number end
    end
    local run = 'trip:' .. given.cause
    local goes_on = last.run == run and ends_at <= now and now < ends_at + given.within
    if number < given.most and not goes_on then return end
    redis.call('ZADD', KEY.cooldowns, written(now + given.rest), 'task:' .. given.task)
    redis.call(
        'HSET', cooldown, 'began_at', stamp, 'ends_at', written(now + given.rest), 'run', run, 'job', given.job,
        'reason', given.reason)
    tripped[#tripped + 1] = {Tripped; task = given.task; cause = given.cause; left = given.rest}
end

for _, given in ipairs(ask.failures) do trip(given) end
return {'tripped', tripped}
