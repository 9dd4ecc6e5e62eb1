-- How many jobs stand in which state, by queue.
-- KEYS counts
-- without epoch
-- asks queue (or null for all)
-- gives counts: rows (queue, state, count)
local counts = redis.call('HGETALL', KEY.counts)
local rows = {}
for index = 1, #counts, 2 do
    local state, queue = string.match(counts[index], '^(%l+):(.*)$')
    local number = tonumber(counts[index + 1])
    if number > 0 and (not ask.queue or ask.queue == queue) then
        rows[#rows + 1] = {queue, state, number}
    end
end
return {'counts', rows}
