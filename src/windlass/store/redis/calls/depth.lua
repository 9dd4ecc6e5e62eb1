-- How many jobs each queue has ready, and for how many milliseconds the oldest of them has been waiting.
-- KEYS queues, counts, due
-- without epoch
-- gives depths: rows (queue, how many, milliseconds); foreign: see there in shared/
-- with portions, index, places, foreign
local LOOKED, AT_ONCE = 1000, 20

-- Since when the longest waiting job of one priority waits. A job that never had to wait for its time waits since it
-- was made, so none of the younger ones waits longer; only those that were put off before it have to be looked at.
local function oldest_of(key, digits)
    local oldest, first = math.huge, 0
    while first < LOOKED do
        local members = redis.call('ZRANGEBYLEX', key, '[' .. digits, '(' .. digits .. '~', 'LIMIT', first, AT_ONCE)
        for _, member in ipairs(members) do
            local job = try('HMGET', job_key(ranked_seq(member)), 'created_at', 'run_at') or {}
            local created_at, run_at = tonumber(job[1]) or now, tonumber(job[2]) or now
            oldest = math.min(oldest, math.max(created_at, run_at))
            if run_at <= created_at then return oldest end
        end
        if #members < AT_ONCE then return oldest end
        first = first + AT_ONCE
    end
    return oldest
end

local rows = {}
for _, queue in ipairs(redis.call('SMEMBERS', KEY.queues)) do
    local key = pending_key(queue)
    local oldest, member = math.huge, (try('ZRANGE', key, 0, 0) or {})[1]
    while member do
        local digits = string.sub(member, 1, 3)
        oldest = math.min(oldest, oldest_of(key, digits))
        member = redis.call('ZRANGEBYLEX', key, '(' .. digits .. '~', '+', 'LIMIT', 0, 1)[1]
    end
    if oldest < math.huge then rows[#rows + 1] = {queue, redis.call('ZCARD', key), now - oldest} end
end
return {'depths', rows, 'foreign', foreign}
