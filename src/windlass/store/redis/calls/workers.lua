-- All workers that live or were lost lately, by the time of their start; a worker whose lease is over has lost it.
-- KEYS workers
-- without epoch
-- gives workers: rows as WorkerRecord
-- with lease
local rows = {}
for index, id in ipairs(redis.call('ZRANGE', KEY.workers, 0, -1)) do
    local found = redis.call(
        'HMGET', prefix .. 'worker:' .. id, 'name', 'state', 'lease', 'started_at', 'seen_at', 'signal', 'signalled_by',
        'info')
    local lease = found[3]
    local lives = lease and is_open(lease) and is_in_time(lease)
    rows[index] = {
        id, found[1], lives and found[2] or 'lost', tonumber(found[4]), tonumber(found[5]), found[6], found[7],
        found[8],
    }
end
table.sort(rows, function(one, other)
    if one[4] ~= other[4] then return one[4] < other[4] end
    return one[1] < other[1]
end)
return {'workers', rows}
