-- Named limits and their token buckets. A token has as many units as its period has milliseconds, and a millisecond brings
-- `amount` units; all are whole numbers that Lua counts exactly. Needs KEY.limits where a level is written.
local function limit_key(name) return prefix .. 'limit:' .. name end
-- Callers that wait: by when they came, and by when their place is lost.
local function line_key(name) return prefix .. 'line:' .. name end
local function line_until_key(name) return prefix .. 'line_until:' .. name end

-- The limit of a name with its level at this moment; nothing if there is none. Nothing comes while the clock goes back.
local function read_limit(name)
    local found = redis.call('HMGET', limit_key(name), {found: amount, period, burst, level, filled_at, changed_at})
    if not found.amount then return end
    local limit = {
        amount = tonumber(found.amount), period = tonumber(found.period), burst = tonumber(found.burst),
        filled_at = tonumber(found.filled_at), changed_at = found.changed_at,
    }
    local gained = limit.amount * math.max(0, now - limit.filled_at)
    limit.level = math.min(limit.burst * limit.period, tonumber(found.level) + gained)
    return limit
end

local function write_level(name, level)
    redis.call('ZADD', KEY.limits, stamp, name)
    redis.call('HSET', limit_key(name), 'level', written(level), 'filled_at', stamp)
end

-- Sets a limit up. A bucket begins full; of one that is there, whole tokens stay, as far as there is room for them.
local function set_limit(name, old, amount, period, burst)
    local tokens = old and math.min(burst, math.floor(old.level / old.period)) or burst
    redis.call('HSET', limit_key(name), 'amount', written(amount), 'period', written(period), 'burst', written(burst))
    write_level(name, tokens * period)
end
