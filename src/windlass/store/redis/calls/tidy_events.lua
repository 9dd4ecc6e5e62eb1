-- Removes old events of jobs that are kept and old notices, and the oldest events beyond a bound, `limit` jobs at a
-- time.
-- KEYS counts, events, notices
-- asks limit
-- gives old, many: a row for each job whose events were looked at
-- with allow_oom, events
local EVENTS_FOR, JOBS_WITH_EVENTS = 30 * 86400000, 1000000

-- Forgets the events of one list that are too old; when the oldest of the others happened, if there are any.
local function forget_old(key)
    while true do
        local oldest = redis.call('LINDEX', key, 0)
        local at = oldest and event_row(oldest)[{EventRecord.at}]
        if not at or at >= now - EVENTS_FOR then return at end
        redis.call('LPOP', key)
    end
end

local old, many = {}, {}
local before = '(' .. written(now - EVENTS_FOR)
for _, seq in ipairs(redis.call('ZRANGEBYSCORE', KEY.events, '-inf', before, 'LIMIT', 0, ask.limit)) do
    local at = forget_old(events_key(seq))
    if at then redis.call('ZADD', KEY.events, at, seq) else redis.call('ZREM', KEY.events, seq) end
    old[#old + 1] = {1}
end
forget_old(KEY.notices)

local beyond = math.min(ask.limit, redis.call('ZCARD', KEY.events) - JOBS_WITH_EVENTS)
for _, seq in ipairs(beyond > 0 and redis.call('ZRANGE', KEY.events, 0, beyond - 1) or {}) do
    redis.call('DEL', events_key(seq))
    redis.call('ZREM', KEY.events, seq)
    many[#many + 1] = {1}
end
return {'old', old, 'many', many}
