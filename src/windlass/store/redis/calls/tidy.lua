-- Removes what nobody needs any more besides jobs: old events, lost workers, leases that are over; a part of them if
-- there are many, the rest next time. Unique keys need no cleaning: a window's key has an expiry of the server's, any
-- other goes with its job.
-- KEYS counts, events, notices, workers, lease_from, lease_until, lease_lost, ids, astray
-- asks by; detail: what was cleaned and how long it took, as JSON text, or null if there was nothing
-- gives astray: one row (where the walk goes on) if there are ids left that may be those of lost jobs: call it again
-- with portions, texts, drain, index, lease, events, remains
local DAY, AT_ONCE = 86400000, 1000
local EVENTS_FOR, JOBS_WITH_EVENTS = 30 * DAY, 1000000

local function before(key, least, age)
    return redis.call('ZRANGEBYSCORE', key, least, '(' .. written(now - age), 'LIMIT', 0, AT_ONCE)
end

-- Forgets the events of one list that are too old; when the oldest of the others happened, if there are any.
local function forget_old(key)
    while true do
        local oldest = redis.call('LINDEX', key, 0)
        local at = oldest and event_row(oldest)[1]
        if not at or at >= now - EVENTS_FOR then return at end
        redis.call('LPOP', key)
    end
end

for _, seq in ipairs(before(KEY.events, '-inf', EVENTS_FOR)) do
    local at = forget_old(events_key(seq))
    if at then redis.call('ZADD', KEY.events, at, seq) else redis.call('ZREM', KEY.events, seq) end
end
forget_old(KEY.notices)

local beyond = math.min(AT_ONCE, redis.call('ZCARD', KEY.events) - JOBS_WITH_EVENTS)
for _, seq in ipairs(beyond > 0 and redis.call('ZRANGE', KEY.events, 0, beyond - 1) or {}) do
    redis.call('DEL', events_key(seq))
    redis.call('ZREM', KEY.events, seq)
end

for _, id in ipairs(before(KEY.workers, '-inf', DAY)) do
    redis.call('DEL', prefix .. 'worker:' .. id)
    redis.call('ZREM', KEY.workers, id)
end

-- A lost lease has done its duty as a marker for its owner after a day. One that still holds jobs stays until it is
-- rescued: its owner may come back.
local function remove_unused(leases)
    for _, lease in ipairs(leases) do
        if redis.call('EXISTS', held_key(lease)) == 0 then
            remove_lease(lease)
            redis.call('ZREM', KEY.lease_lost, lease)
        end
    end
end
remove_unused(before(KEY.lease_until, '(-inf', DAY))
remove_unused(before(KEY.lease_lost, '-inf', DAY))

if ask.detail then note_without_job('cleaned', ask.by, ask.detail) end

-- Since a job was lost, an id may lead nowhere. None is found from its job, so all are walked through, once.
local at = redis.call('GET', KEY.astray)
if not at then return {} end
local found, gone = redis.call('HSCAN', KEY.ids, at, 'COUNT', AT_ONCE), {}
for index = 1, #found[2], 2 do
    local id, seq = found[2][index], found[2][index + 1]
    if redis.call('EXISTS', job_key(seq)) == 0 then
        redis.call('HDEL', KEY.ids, id)
        gone[#gone + 1] = seq
    end
end
-- Also of those that nobody has met yet, or whose finder did not come so far.
remove_remains(gone)
if found[1] == '0' then
    redis.call('DEL', KEY.astray)
    return {}
end
redis.call('SET', KEY.astray, found[1])
return {'astray', {{found[1]}}}
