-- How many jobs stand in which state, by queue: the counters know it, so none is cut off at most.
-- KEYS counts
-- without epoch
-- asks most
-- gives counts: rows (queue, state, count, 0)
local counts = redis.call('HGETALL', KEY.counts)
local rows = {}
for index = 1, #counts, 2 do
    local state, queue = string.match(counts[index], '^(%l+):(.*)$')
    local number = tonumber(counts[index + 1])
    if number > 0 then rows[#rows + 1] = {queue, state, number, 0} end
end
return {'counts', rows}
