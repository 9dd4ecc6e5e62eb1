-- Rates of queues, and of tasks with a key: token buckets, as those of limits (see buckets). A queue's settings have its rate,
-- that of a task is a text of its own; a hash has what is in the bucket. All in one table: a script may have 200 local names
-- and no more.
-- with paused
local RATES = {known = {}}
function RATES.key(queue) return prefix .. 'rate:' .. queue end

-- [amount,period,burst] as text, of a queue or, where the name has a tab, of a task with a key.
function RATES.setting(name)
    local task = string.match(name, '^([^\t]*)\t')
    if not task then return rate_setting(name) end
    return try('GET', prefix .. 'rate_limit:' .. task)
end

-- The bucket of a queue, read once; nil without a rate. Nothing comes while the clock goes back.
function RATES.of(queue)
    if RATES.known[queue] ~= nil then return RATES.known[queue] or nil end
    local amount, period, burst = string.match(RATES.setting(queue) or '', '^%[(%d+),(%d+),(%d+)%]$')
    if not amount then
        RATES.known[queue] = false
        return
    end
    local rate = {amount = tonumber(amount), period = tonumber(period), burst = tonumber(burst)}
    local full = rate.burst * rate.period
    local found = try('HMGET', RATES.key(queue), {found: level, filled_at, period}) or {}
    local filled_at, before = tonumber(found.filled_at), tonumber(found.period)
    rate.level = full
    if filled_at then
        local level = tonumber(found.level)
        -- Whole tokens survive a change of the rate, as far as there is room for them.
        if before ~= rate.period then level = math.floor(level / before) * rate.period end
        rate.level = math.min(full, level + rate.amount * math.max(0, now - filled_at))
    end
    rate.is_ahead = filled_at and filled_at > now
    RATES.known[queue] = rate
    return rate
end

-- Call this before the setting becomes this text, or nothing. Whole tokens survive a change, as far as there is room for
-- them; a queue whose rate is taken back has no bucket any more.
function RATES.change(queue, setting)
    local _, period, burst = string.match(setting or '', '^%[(%d+),(%d+),(%d+)%]$')
    local kept = try('HMGET', RATES.key(queue), {kept: level, period}) or {}
    if not period then
        redis.call('DEL', RATES.key(queue))
    elseif kept.level and setting ~= rate_setting(queue) then
        local tokens = math.min(tonumber(burst), math.floor(tonumber(kept.level) / tonumber(kept.period)))
        redis.call('HSET', RATES.key(queue), 'level', written(tokens * tonumber(period)), 'period', period)
    end
end

-- How many whole tokens there are; nil without a rate.
function RATES.tokens(queue)
    local rate = RATES.of(queue)
    return rate and math.floor(rate.level / rate.period)
end

-- Every claim takes a token. Otherwise only what has to be known later is written: how far the clock went back.
function RATES.spend(queue, number)
    local rate = RATES.of(queue)
    if not rate or (number == 0 and not rate.is_ahead) then return end
    rate.level = rate.level - number * rate.period
    redis.call(
        'HSET', RATES.key(queue), 'level', written(rate.level), 'filled_at', stamp, 'period', written(rate.period))
end

function RATES.due(queue)
    local rate = RATES.of(queue)
    return math.max(0, math.ceil((rate.period - rate.level) / rate.amount))
end

-- The gate.
function RATES.is_out(queue)
    local tokens = RATES.tokens(queue)
    return tokens and tokens < 1
end
-- As gates tell: row (since, by, reason, ends_at).
function RATES.details(queue) return {false, false, false, now + RATES.due(queue)} end

-- The rates of these queues, rows (RateState).
function RATES.states(queues)
    local rows = {}
    for queue in pairs(queues) do
        if RATES.of(queue) then
            RATES.spend(queue, 0)
            rows[#rows + 1] = {RateState; name = queue; tokens = RATES.tokens(queue); due_in = RATES.due(queue)}
        end
    end
    return rows
end
