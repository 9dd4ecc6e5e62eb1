-- The schedules that are due, the longest overdue first: at most `limit`, and no more than `bytes` of what users wrote.
-- KEYS schedules_due, code_versions
-- without epoch
-- asks limit, bytes, live_for
-- gives schedules: rows (ScheduleRecord); vanished: rows (name) of those whose hash is gone
--       next: one row (now, when the next is due, the live versions of the code in the order in which they were first
--       seen)
-- with schedules, code_versions
local rows, vanished, bytes = {}, {}, 0
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEY.schedules_due, '-inf', stamp, 'LIMIT', 0, ask.limit)) do
    local schedule, size = read_schedule(name)
    if not schedule then
        vanished[#vanished + 1] = {name}
    elseif #rows > 0 and bytes + size > ask.bytes then
        break
    else
        rows[#rows + 1] = schedule
        bytes = bytes + size
    end
end

local first = redis.call('ZRANGE', KEY.schedules_due, 0, 0, 'WITHSCORES') -- row (name, due_at) as first

local live = {} -- rows (version, first_seen) as one/other
for _, version in ipairs(redis.call(
    'ZRANGEBYSCORE', KEY.code_versions, '(' .. written(now - ask.live_for), '(' .. written(now + ask.live_for))) do
    live[#live + 1] = {version, tonumber(redis.call('HGET', code_version_key(version), 'first_seen')) or 0}
end
table.sort(live, function(one, other)
    if one.first_seen ~= other.first_seen then return one.first_seen < other.first_seen end
    return one.version < other.version
end)
for index, one in ipairs(live) do live[index] = one.version end
return {
    'schedules', rows, 'vanished', vanished,
    'next', {{now, tonumber(first.due_at) or false, table.concat(live, ' ')}}}
