-- Jobs that have to start in time: those that wait lie in `expiring`, by the instant at which it is too late. Needs
-- KEY.expiring.
local function expiring_member(seq) return string.format('%014d', seq) end

local function note_expiry(seq, start_by) redis.call('ZADD', KEY.expiring, start_by, expiring_member(seq)) end
local function drop_expiry(seq) redis.call('ZREM', KEY.expiring, expiring_member(seq)) end

-- A job that a person puts to another time has its expiry counted from there, unless it has started.
local function move_expiry(seq, expires, run_at)
    local start_by = written(run_at + expires)
    redis.call('HSET', job_key(written(seq)), 'start_by', start_by)
    note_expiry(seq, start_by)
end

-- After a run whose job waits again: the first start has to be in time, the others need not.
local function settle_expiry(seq, has_started)
    local key = job_key(written(seq))
    local start_by = redis.call('HGET', key, 'start_by')
    if not start_by then return end
    if has_started then redis.call('HDEL', key, 'start_by') else note_expiry(seq, start_by) end
end
