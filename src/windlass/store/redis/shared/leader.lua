-- Who leads a duty: a hash for each duty, as a lease is.
local function leader_key(duty) return prefix .. 'leader:' .. duty end

local function read_leader(duty)
    local found = redis.call('HMGET', leader_key(duty), {found: holder, term, ttl, renewed_at})
    local ttl, renewed_at = tonumber(found.ttl) or 0, tonumber(found.renewed_at) or 0
    return {
        holder = found.holder, term = tonumber(found.term) or 0, ttl = ttl, over_at = renewed_at + ttl,
        -- A clock that jumps, in either direction, never makes a lead longer than its ttl.
        is_in_time = renewed_at - ttl <= now and now < renewed_at + ttl,
    }
end
