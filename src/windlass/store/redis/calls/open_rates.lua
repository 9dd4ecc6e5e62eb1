-- Lets jobs go that wait for tokens, at the `limit` rates that have had one for the longest.
-- KEYS counts, due, waiting, gates, opening, rated, cooldowns
-- asks limit
-- gives let_go: rows (number), one for each rate; overwritten: see shared/overwritten
-- with chunks, allow_oom, index, state_sets, overwritten, concurrency, rate_keys
local AT_ONCE = 500

-- How many jobs of the rate were let go and are not claimed yet.
local function let_go_before(gate)
    local key = RATE_KEYS.let_go_key(gate)
    for _, seq in ipairs(try('SMEMBERS', key) or {}) do
        local job = try('HMGET', job_key(seq), {job: state, rate_key}) or {}
        if job.state ~= 'pending' or job.rate_key ~= gate then redis.call('SREM', key, seq) end
    end
    return try('SCARD', key) or 0
end

-- How many may go: as many as there are tokens besides those. If these are not claimed, while the bucket is full, one more
-- goes: they may be of a queue that is paused.
local function room_at(gate, rate, ahead)
    if not rate then return AT_ONCE end
    if COOLDOWNS.read('task', gate) then return 0 end
    local least = rate.level >= rate.burst * rate.period and 1 or 0
    return math.min(AT_ONCE, math.max(RATES.tokens(gate) - ahead, least))
end

-- When to look again. Where more were let go than there are tokens, a claim brings that forward.
local function next_opening(gate, rate, ahead)
    if not rate then return now end
    local token = math.ceil(rate.period / rate.amount)
    if ahead * rate.period > rate.level then return now + math.max(1000, token) end
    if ahead >= rate.burst then return now + math.max(20, token) end
    return RATE_KEYS.due_at(gate, ahead + 1)
end

local let_go = {}
for _, gate in ipairs(redis.call('ZRANGEBYSCORE', KEY.opening, '-inf', now, 'LIMIT', 0, ask.limit)) do
    local rate, ahead = RATES.of(gate), let_go_before(gate)
    RATES.spend(gate, 0)
    local number = GATES.let_go(gate, room_at(gate, rate, ahead), RATE_KEYS.let_go_key(gate))
    if (try('ZCARD', blocked_key(gate)) or 0) == 0 then
        redis.call('ZREM', KEY.opening, gate)
        redis.call('ZREM', KEY.gates, gate)
    else
        redis.call('ZADD', KEY.opening, written(next_opening(gate, rate, ahead + number)), gate)
    end
    let_go[#let_go + 1] = {number}
end
settle(try)
return {'let_go', let_go, 'overwritten', overwritten}
