-- The queues that have jobs to claim and are not paused.
-- KEYS waiting
-- without epoch
-- gives queues: rows (name); foreign: see there in shared/
-- with paused
local rows = {}
if not is_paused('*') then
    for _, queue in ipairs(redis.call('SMEMBERS', KEY.waiting)) do
        if not is_paused(queue) then rows[#rows + 1] = {queue} end
    end
end
return {'queues', rows, 'foreign', foreign}
