-- Schedules: a hash for each, found by name and, while they fire, by when they are due; their ledgers of fires.
-- Needs KEY.schedules_due where one is set due.
local function schedule_key(name) return prefix .. 'schedule:' .. name end
local function fires_key(name) return prefix .. 'fires:' .. name end

-- Numbers come as numbers and are written out.
local function as_text(value) return type(value) == 'number' and written(value) or value end

-- A schedule as a row of ScheduleRecord, and how much of it users wrote; nothing if it is not there.
-- row (ScheduleRecord) as schedule
local function read_schedule(name)
    local schedule = redis.call('HMGET', schedule_key(name), {ScheduleRecord})
    if not schedule.name then return end
    return schedule, #schedule.definition + #(schedule.declared or '')
end

-- When a leader has to look at it; nothing while it does not fire.
local function set_due(name, due_at)
    if due_at then
        redis.call('ZADD', KEY.schedules_due, written(due_at), name)
    else
        redis.call('ZREM', KEY.schedules_due, name)
    end
end
