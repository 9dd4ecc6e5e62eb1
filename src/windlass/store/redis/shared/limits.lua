-- How many jobs may run at once: of a queue, and of all queues together (*). How many run is counted in `counts`; how many
-- of all together, as long as these have a limit, in their settings (see settle in state_sets). What has been gathered has
-- to be settled before limits are asked about. Needs KEY.counts.
-- with paused, rates
local function running_now(queue)
    local running
    if queue == '*' then running = try('HGET', queue_key('*'), 'running')
    else running = redis.call('HGET', KEY.counts, 'running:' .. queue) end
    return tonumber(running) or 0
end

-- How many more may run; nil without a limit.
local function free_places(queue)
    local most = limit_of(queue)
    return most and most - running_now(queue)
end

local function is_limited(queue) return limit_of(queue) or limit_of('*') end
local function is_at_limit(queue)
    local free = free_places(queue)
    return free and free <= 0
end
-- As gates tell: row (since, by, reason, ends_at, most).
local function limit_details(queue) return {false, false, false, false, limit_of(queue)} end

-- How many jobs of a queue may be taken now, if so many are asked for.
local function room(queue, asked)
    return math.max(0, math.min(
        asked, free_places(queue) or asked, free_places('*') or asked, RATES.tokens(queue) or asked))
end

-- The limits of these queues, and that of all, rows (LimitState). queues: name -> true
local function limits_of(queues)
    local rows = {}
    local function add(queue)
        local most = limit_of(queue)
        if most then rows[#rows + 1] = {LimitState; name = queue; max_running = most; running = running_now(queue)} end
    end
    for queue in pairs(queues) do add(queue) end
    add('*')
    return rows
end

-- Begins to count the running jobs of all queues together once these have a limit. Call this after settings of * were
-- written.
local function follow_limit_of_all()
    local key = queue_key('*')
    if redis.call('HEXISTS', key, 'max_running') == 0 then
        redis.call('HDEL', key, 'running')
    elseif redis.call('HEXISTS', key, 'running') == 0 then
        local running, counts = 0, redis.call('HGETALL', KEY.counts)
        for index = 1, #counts, 2 do
            if string.sub(counts[index], 1, 8) == 'running:' then running = running + counts[index + 1] end
        end
        redis.call('HSET', key, 'running', running)
    end
end
