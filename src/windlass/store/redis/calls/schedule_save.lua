-- Stores schedules, each if it still has the revision that it was read with; 0 where there was none.
-- KEYS schedules, schedules_due
-- asks schedules: rows (ScheduleRecord) as schedule/given
-- gives saved: rows (name)
-- with chunks, schedules
local NAMES = {{ScheduleRecord}}

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
        redis.call('ZADD', KEY.schedules, 0, name)
        redis.call('DEL', key)
        redis.call('HSET', key, unpack(fields))
        set_due(name, given.due_at)
        saved[#saved + 1] = {name}
    end
end
return {'saved', saved}
