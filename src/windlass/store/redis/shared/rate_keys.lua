-- Rates of tasks and their keys: a job for which there is no token is blocked, and `open_rates` lets it go when there is one.
-- A rate is named by its task and key, with a tab between them; so is its bucket (see rates). While jobs wait there, `opening`
-- has it by when the next of them may go, and others of the key line up behind them. Needs KEY.opening, KEY.rated and
-- KEY.cooldowns.
-- with rates, cooldowns
-- In one table: a script may have 200 local names and no more.
local RATE_KEYS = {}
-- Jobs that were let go, and are not claimed yet, or were not when that was last looked at.
function RATE_KEYS.let_go_key(gate) return prefix .. 'let_go:' .. gate end

-- When the next of the jobs that wait may go; nil if none waits.
function RATE_KEYS.opens_at(gate) return tonumber(redis.call('ZSCORE', KEY.opening, gate) or nil) end

-- None while it cools down; nil without a rate.
function RATE_KEYS.tokens(gate)
    local tokens = RATES.tokens(gate)
    return tokens and (COOLDOWNS.read('task', gate) and 0 or tokens)
end

-- When it has so many tokens, not before it has cooled down.
function RATE_KEYS.due_at(gate, tokens)
    local rate = RATES.of(gate)
    local _, ends_at = COOLDOWNS.read('task', gate)
    return math.max(
        now + math.max(1, math.ceil((tokens * rate.period - rate.level) / rate.amount)), ends_at or 0)
end

-- Whether a job does not line up again: it was let go, or has its concurrency key.
function RATE_KEYS.is_next(gate, seq, key)
    return try('SISMEMBER', RATE_KEYS.let_go_key(gate), seq) == 1
        or key and try('SISMEMBER', prefix .. 'holders:' .. key, seq) == 1
end

-- The gate: whether there is no token for a job.
function RATE_KEYS.is_out(gate, seq, key)
    local tokens = RATE_KEYS.tokens(gate)
    if not tokens then return false end
    return tokens < 1 or (RATE_KEYS.opens_at(gate) and not RATE_KEYS.is_next(gate, seq, key))
end

-- Has the rate looked at when there is a token, at the latest, because jobs wait for one.
function RATE_KEYS.note_line(gate)
    local opens_at = RATE_KEYS.opens_at(gate)
    local due_at = RATES.of(gate) and RATE_KEYS.due_at(gate, 1) or now
    if not opens_at or due_at < opens_at then redis.call('ZADD', KEY.opening, written(due_at), gate) end
end

-- Every claim takes a token.
function RATE_KEYS.take(gate, seq)
    local rate = RATES.of(gate)
    if not rate then return end
    RATES.spend(gate, 1)
    local full_at = now + math.ceil((rate.burst * rate.period - rate.level) / rate.amount)
    redis.call('ZADD', KEY.rated, written(full_at), gate)
    redis.call('SREM', RATE_KEYS.let_go_key(gate), seq)
    if RATE_KEYS.opens_at(gate) then RATE_KEYS.note_line(gate) end
end

-- As in gates, of a rate and a job.
RATE_KEYS.gates = {
    {'rate_cooling', function(gate) return COOLDOWNS.read('task', gate) ~= nil end, function(gate)
        local began_at, ends_at, reason = COOLDOWNS.read('task', gate)
        return {began_at, false, reason, ends_at}
    end},
    {'rate_out_of_tokens', function(gate, seq)
        return RATE_KEYS.is_out(gate, seq, try('HGET', job_key(seq), 'concurrency_key'))
    end, function(gate) return {false, false, false, RATE_KEYS.opens_at(gate) or RATE_KEYS.due_at(gate, 1)} end},
}
