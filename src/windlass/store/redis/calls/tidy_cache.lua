-- Lets go of cached results whose time is over, and of those that are too many, those first whose time is over first.
-- Their jobs stay as long as retention keeps them.
-- KEYS counts, ids, caches
-- asks limit: how many of each kind at a time
--      per_task, in_all: how many there may be; bytes: how many bytes all of them may have
-- gives dropped: a row for each
-- with allow_oom, unique
local UNFINISHED = 100
local dropped = {}
local function drop(keys)
    for _, key in ipairs(keys) do
        CACHE.remove(key)
        redis.call('DEL', unique_key(key))
        dropped[#dropped + 1] = {1}
    end
    return #keys
end

local function oldest_of(task, number)
    if number <= 0 then return {} end
    return redis.call('ZRANGEBYSCORE', CACHE.entries(task), '-inf', '(inf', 'LIMIT', 0, math.min(number, ask.limit))
end

-- How many results of a task there are, without what its waiting and running jobs would make, and their bytes.
local function measure(task)
    return redis.call('ZCOUNT', CACHE.entries(task), '-inf', '(inf'),
        tonumber(redis.call('GET', CACHE.bytes(task)) or 0)
end

local tasks, number, bytes = {}, 0, 0
for _, task in ipairs(redis.call('SMEMBERS', KEY.caches)) do
    drop(redis.call('ZRANGEBYSCORE', CACHE.entries(task), '-inf', stamp, 'LIMIT', 0, ask.limit))
    -- What jobs would make that have vanished, or were ended by an earlier release: no job holds their keys.
    for _, key in ipairs(redis.call('ZRANGEBYSCORE', CACHE.entries(task), 'inf', 'inf', 'LIMIT', 0, UNFINISHED)) do
        if not holder_of(key) then drop({key}) end
    end
    local own = measure(task)
    drop(oldest_of(task, own - ask.per_task))
    if redis.call('EXISTS', CACHE.entries(task)) == 0 then
        redis.call('SREM', KEY.caches, task)
        redis.call('DEL', CACHE.bytes(task))
    else
        local left, own_bytes = measure(task)
        tasks[#tasks + 1] = task
        number, bytes = number + left, bytes + own_bytes
    end
end

-- The task whose oldest result is the oldest of all.
local function first_task()
    local first, least
    for _, task in ipairs(tasks) do
        local oldest = redis.call('ZRANGE', CACHE.entries(task), 0, 0, 'WITHSCORES') -- row (key, at) as oldest
        local at = oldest.at and oldest.at ~= 'inf' and tonumber(oldest.at)
        if at and (not least or at < least) then first, least = task, at end
    end
    return first
end

while (number > ask.in_all or bytes > ask.bytes) and #dropped < ask.limit do
    local task = first_task()
    if not task then break end
    local before, before_bytes = measure(task)
    drop(oldest_of(task, 1))
    local after, after_bytes = measure(task)
    number, bytes = number - before + after, bytes - before_bytes + after_bytes
end
return {'dropped', dropped}
