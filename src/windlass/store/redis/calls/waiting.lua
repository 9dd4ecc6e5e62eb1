-- The queues that have jobs to claim and are not paused.
-- KEYS counts, waiting, cooldowns
-- without epoch
-- gives queues: rows (name); overwritten: see shared/overwritten
-- with gates
local rows = {}
if not is_shut(COMMON_GATES) then
    for _, queue in ipairs(redis.call('SMEMBERS', KEY.waiting)) do
        if not is_shut(QUEUE_GATES, queue) then rows[#rows + 1] = {queue} end
    end
end
return {'queues', rows, 'overwritten', overwritten}
