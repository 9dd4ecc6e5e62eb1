-- A lease is a hash; a hash beside it holds what runs under it: `seq:fence` -> the token of the call that claimed it.
local function lease_key(lease) return prefix .. 'lease:' .. lease end
local function held_key(lease) return prefix .. 'held:' .. lease end

local function is_open(lease) return redis.call('HGET', lease_key(lease), 'state') == 'open' end

-- A clock that jumps, in either direction, never makes a lease longer than its ttl.
local function is_in_time(lease)
    local found = redis.call('HMGET', lease_key(lease), 'renewed_at', 'ttl')
    local renewed_at, ttl = tonumber(found[1]), tonumber(found[2])
    return renewed_at and renewed_at - ttl <= now and now < renewed_at + ttl
end

-- (seq, fence) of a field of a lease's hash
local function held_job(field)
    local seq, fence = string.match(field, '^(%d+):(%d+)$')
    return tonumber(seq), tonumber(fence)
end

-- Finds the lease by the instants between which it is in time. Needs KEY.lease_from and KEY.lease_until.
local function set_time(lease, ttl)
    redis.call('HSET', lease_key(lease), 'renewed_at', now)
    redis.call('ZADD', KEY.lease_from, now - ttl, lease)
    redis.call('ZADD', KEY.lease_until, now + ttl, lease)
end
