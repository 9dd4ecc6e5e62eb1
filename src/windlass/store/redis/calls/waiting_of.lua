-- Those of the named queues that have jobs to claim and are not paused: found from the jobs, also where `waiting` lacks
-- them.
-- KEYS waiting
-- without epoch
-- asks queues: names
-- gives queues: rows (name); foreign: see there in shared/
-- with paused
local rows = {}
if not is_paused('*') then
    for _, queue in ipairs(ask.queues) do
        local places = redis.call('EXISTS', prefix .. 'pending:' .. queue, prefix .. 'suspects:' .. queue)
        if places > 0 and not is_paused(queue) then
            rows[#rows + 1] = {queue}
        end
    end
end
return {'queues', rows, 'foreign', foreign}
