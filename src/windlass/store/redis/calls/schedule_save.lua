-- Stores schedules, each if it still has the revision that it was read with; 0 where there was none.
-- KEYS schedules, schedules_due
-- asks schedules: rows (ScheduleRecord) as schedule/given
-- gives saved: rows (name)
-- with chunks, schedules
local NAMES = {{ScheduleRecord}}

-- A slot that is kept back no more, because its schedule was resumed, makes no job.
local function skip_held(name)
    local held_at = redis.call('HGET', schedule_key(name), 'held_at')
    if not held_at then return end
    for _, text in ipairs(redis.call('ZRANGEBYSCORE', fires_key(name), held_at, held_at)) do
        redis.call('ZREM', fires_key(name), text)
        redis.call('ZADD', fires_key(name), held_at, (text:gsub(',"buffered",', ',"skipped",', 1)))
    end
end

local saved = {}
for _, given in ipairs(ask.schedules) do
    local name, key = given.name, schedule_key(given.name)
    if given.revision == (tonumber(redis.call('HGET', key, 'revision')) or 0) then
        local fields = {}
        given.revision = given.revision + 1
        for column = 1, {#ScheduleRecord} do
            if given[column] ~= nil then
                fields[#fields + 1] = NAMES[column]
                fields[#fields + 1] = as_text(given[column])
            end
        end
        if not given.held_at then skip_held(name) end
        redis.call('ZADD', KEY.schedules, 0, name)
        redis.call('DEL', key)
        redis.call('HSET', key, unpack(fields))
        set_due(name, given.due_at)
        saved[#saved + 1] = {name}
    end
end
return {'saved', saved}
