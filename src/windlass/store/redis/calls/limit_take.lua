-- Takes one token of a limit, if there is one for the caller besides those of the callers that wait and come first.
-- KEYS counts, limits, cooldowns
-- asks name; waiter: who will come again, or null: it gets a place in line until 10 s after its turn;
--      most: how many places there are
-- gives taken: one row (TakeResult), if there is such a limit
-- with allow_oom, buckets, cooldowns
local limit = read_limit(ask.name)
if not limit then return {'taken', {}} end
local line, line_until, waiter = line_key(ask.name), line_until_key(ask.name), ask.waiter

-- The one that asks keeps its place.
local function drop_others(ids)
    for _, id in ipairs(ids) do
        if id ~= waiter then
            redis.call('ZREM', line, id)
            redis.call('ZREM', line_until, id)
        end
    end
end
-- Callers that did not come when it was their turn, or came before the clock went back.
drop_others(redis.call('ZRANGEBYSCORE', line_until, '-inf', stamp))
drop_others(redis.call('ZRANGEBYSCORE', line, '(' .. written(now + 10000), '+inf'))

local place = waiter and redis.call('ZRANK', line, waiter)
local ahead = place or redis.call('ZCARD', line)
-- One that has not come 2 s after its turn keeps its place and holds up no other: it may be dead, or a job that waits for
-- the very slot in which the caller runs.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', line_until, '-inf', written(now + 8000))) do
    if not place or (redis.call('ZRANK', line, id) or place) < place then ahead = ahead - 1 end
end
ahead = math.min(ask.most, ahead)
local _, ends_at = COOLDOWNS.read('limit', ask.name)
local is_taken = not ends_at and (ahead + 1) * limit.period <= limit.level
if is_taken then
    write_level(ask.name, limit.level - limit.period)
    if place then
        redis.call('ZREM', line, waiter)
        redis.call('ZREM', line_until, waiter)
    end
    return {'taken', {{TakeResult; is_taken = 1; due_in = 0; ahead = ahead}}}
end
-- Nothing else has to be known later but how far the clock went back.
if limit.filled_at > now then write_level(ask.name, limit.level) end

-- When it is the caller's turn, if those that come first take one token each. What comes during a cool-down is not more
-- than fills the bucket.
local function time_for(units) return math.max(0, math.ceil(units / limit.amount)) end
local due = time_for((ahead + 1) * limit.period - limit.level)
if ends_at then due = math.max(due, ends_at - now + time_for((ahead + 1 - limit.burst) * limit.period)) end
if waiter and ahead < ask.most then
    if not place then
        -- Behind all others also within a millisecond: row (member, score) as last.
        local last = redis.call('ZRANGE', line, -1, -1, 'WITHSCORES')
        redis.call('ZADD', line, written(math.max(now, (tonumber(last.score) or 0) + 1)), waiter)
    end
    redis.call('ZADD', line_until, written(now + due + 10000), waiter)
end
return {'taken', {{TakeResult; is_taken = 0; due_in = due; ahead = ahead}}}
