-- A page of schedules by name: about as many as `limit`, and no more than `bytes` of what users wrote.
-- KEYS schedules
-- without epoch
-- asks names (or null for all), task (or null), after, limit, bytes
-- gives schedules: rows (ScheduleRecord) as schedule; page: one row (now, the name behind which the next page begins)
-- with schedules
local names, is_end = {}, true
if ask.names then
    for _, name in ipairs(ask.names) do
        if name > ask.after then names[#names + 1] = name end
    end
else
    names = redis.call('ZRANGEBYLEX', KEY.schedules, '(' .. ask.after, '+', 'LIMIT', 0, ask.limit)
    is_end = #names < ask.limit
end

local rows, bytes, last = {}, 0, false
for _, name in ipairs(names) do
    local schedule, size = read_schedule(name)
    if schedule and (not ask.task or schedule.task == ask.task) then
        if #rows > 0 and bytes + size > ask.bytes then
            is_end = false
            break
        end
        rows[#rows + 1] = schedule
        bytes = bytes + size
    end
    last = name
end
return {'schedules', rows, 'page', {{now, not is_end and last}}}
