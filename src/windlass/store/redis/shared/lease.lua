-- A lease is a hash; a hash beside it holds what runs under it: `seq:fence` -> the token of the call that claimed it
-- and the queue of its job. A first run without a start mark has one line feed before its queue: `cycle` can end it
-- without reading the job. All others have two. After the queue of a plain job (see state_sets) comes one more.
-- Needs KEY.lease_from and KEY.lease_until where a lease is prolonged or removed.
-- with overwritten
local function lease_key(lease) return prefix .. 'lease:' .. lease end
local function held_key(lease) return prefix .. 'held:' .. lease end
-- Those of its jobs that are to be cancelled, as in held_key: a worker reads them every second.
local function cancels_key(lease) return prefix .. 'cancels:' .. lease end
-- The leases that a token of manual claims holds.
local function manual_leases_key(token) return prefix .. 'pulled:' .. token end

local function is_open(lease) return try('HGET', lease_key(lease), 'state') == 'open' end

-- A clock that jumps, in either direction, never makes a lease longer than its ttl.
local function is_in_time(lease)
    local found = try('HMGET', lease_key(lease), {found: renewed_at, ttl}) or {}
    local renewed_at, ttl = tonumber(found.renewed_at), tonumber(found.ttl)
    return renewed_at and renewed_at - ttl <= now and now < renewed_at + ttl
end

-- Only then its worker claims jobs, and keeps those that it has.
local function is_live(lease) return lease and is_open(lease) and is_in_time(lease) end

local function held_field(seq, fence) return written(seq) .. ':' .. written(fence) end

local function held_value(token, queue) return token .. '\n\n' .. queue end
-- A run that holds a concurrency key: behind the queue of any but a first run comes the key.
local function held_with_key(token, queue, key) return held_value(token, queue) .. '\n' .. key end
local function key_of_run(value) return string.match(value, '^[^\n]*\n\n[^\n]+\n(.+)$') end
local function held_first_run(token, queue, is_plain) return token .. '\n' .. queue .. (is_plain and '\n' or '') end
local function held_token(value) return string.match(value, '^[^\n]*') end
-- The queue of a first run, and what is behind it: nothing, if the job is not plain. Nil for all other runs.
local function first_run(value)
    if value then return string.match(value, '^[^\n]*\n([^\n]+)(\n?)$') end
end

-- The job is not as it was when it was claimed: who ends the run has to look at it.
local function look_at_ending(lease, field)
    local value = redis.call('HGET', held_key(lease), field)
    local queue = first_run(value)
    if queue then redis.call('HSET', held_key(lease), field, held_value(held_token(value), queue)) end
end

-- The job has a key besides its hash from now on.
local function note_not_plain(lease, field)
    local value = redis.call('HGET', held_key(lease), field)
    local queue, plain = first_run(value)
    if queue and plain ~= '' then
        redis.call('HSET', held_key(lease), field, held_first_run(held_token(value), queue, false))
    end
end

-- Should the job's body be gone, no other record says where it was counted.
local function queue_of_any_run(value) return string.match(value, '^[^\n]*\n\n?([^\n]+)') end

-- (seq, fence) of a field of a lease's hash
local function held_job(field)
    local seq, fence = string.match(field, '^(%d+):(%d+)$')
    return tonumber(seq), tonumber(fence)
end

-- The lease under which a job runs with this fence, or nothing: to be asked by every write of an owner.
local function lease_of(seq, fence)
    local lease = try('HGET', job_key(written(seq)), 'lease')
    if lease and redis.call('HEXISTS', held_key(lease), held_field(seq, fence)) == 1 then return lease end
end

-- Finds the lease by the instants between which it is in time.
local function set_time(lease, ttl)
    redis.call('HSET', lease_key(lease), 'renewed_at', stamp, 'ttl', written(ttl))
    redis.call('ZADD', KEY.lease_from, now - ttl, lease)
    redis.call('ZADD', KEY.lease_until, now + ttl, lease)
end

-- A lease that still holds jobs stays where rescue finds it.
local function remove_lease(lease)
    redis.call('DEL', lease_key(lease))
    redis.call('ZREM', KEY.lease_from, lease)
    if redis.call('EXISTS', held_key(lease)) == 1 then
        redis.call('ZADD', KEY.lease_until, '-inf', lease)
    else
        redis.call('ZREM', KEY.lease_until, lease)
    end
end

-- Rescue looks for an expired lease as long as it holds jobs. Call this after removing runs from a lease.
local function forget_if_empty(lease)
    if not is_open(lease) and redis.call('EXISTS', held_key(lease)) == 0 then
        redis.call('ZREM', KEY.lease_until, lease)
    end
end

-- The lease of a manual claim is named token:seq:fence; a worker's name has no colon.
local function is_manual(lease) return string.find(lease, ':', 1, true) ~= nil end

-- A manual claim ends with its one job.
local function remove_manual(lease)
    redis.call('SREM', manual_leases_key(string.match(lease, '^(.*):%d+:%d+$')), lease)
    remove_lease(lease)
end
