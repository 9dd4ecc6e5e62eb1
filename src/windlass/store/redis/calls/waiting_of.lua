-- Those of the named queues that have jobs to claim and are not paused: found from the jobs, also where `waiting` lacks
-- them.
-- KEYS counts, waiting, cooldowns
-- without epoch
-- asks queues: names
-- gives queues: rows (name); overwritten: see shared/overwritten
-- with gates
local rows = {}
if not is_shut(COMMON_GATES) then
    for _, queue in ipairs(ask.queues) do
        local places = redis.call('EXISTS', prefix .. 'pending:' .. queue, prefix .. 'suspects:' .. queue)
        if places > 0 and not is_shut(QUEUE_GATES, queue) then
            rows[#rows + 1] = {queue}
        end
    end
end
return {'queues', rows, 'overwritten', overwritten}
