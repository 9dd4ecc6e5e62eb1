-- For how many milliseconds the oldest ready job of each queue has been waiting.
-- KEYS queues, counts, due
-- without epoch
-- gives oldest: rows (queue, milliseconds); overwritten: see shared/overwritten
-- with oldest
local rows = {}
for _, queue in ipairs(redis.call('SMEMBERS', KEY.queues)) do
    local oldest = math.huge
    for _, key in ipairs({pending_key(queue), suspects_key(queue)}) do
        oldest = math.min(oldest, oldest_in(key) or math.huge)
    end
    if oldest < math.huge then rows[#rows + 1] = {queue, now - oldest} end
end
return {'oldest', rows, 'overwritten', overwritten}
