-- How many jobs each queue has ready, and for how many milliseconds the oldest of them has been waiting.
-- KEYS queues, counts, due
-- without epoch
-- gives depths: rows (Depth); overwritten: see shared/overwritten
-- with oldest
local rows = {}
for _, queue in ipairs(redis.call('SMEMBERS', KEY.queues)) do
    local oldest, number = math.huge, 0
    for _, key in ipairs({pending_key(queue), suspects_key(queue)}) do
        local since = oldest_in(key)
        if since then
            oldest = math.min(oldest, since)
            number = number + redis.call('ZCARD', key)
        end
    end
    if number > 0 then rows[#rows + 1] = {Depth; queue = queue; ready = number; oldest = now - oldest} end
end
return {'depths', rows, 'overwritten', overwritten}
