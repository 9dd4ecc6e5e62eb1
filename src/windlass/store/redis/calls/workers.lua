-- All workers that live or were lost lately, by the time of their start; a worker whose lease is over has lost it.
-- KEYS workers
-- without epoch
-- gives workers: rows as WorkerRecord; foreign: see there in shared/
-- with workers
local rows = {}
for _, id in ipairs(workers_called()) do
    local found = try(
        'HMGET', worker_key(id), 'name', 'state', 'lease', 'started_at', 'seen_at', 'signal', 'signalled_by',
        'info') or {}
    -- One of which something is missing was deleted by hand; its next heartbeat shows it again.
    if found[1] and found[2] and found[4] and found[5] and found[8] then
        rows[#rows + 1] = {
            id, found[1], is_live(found[3]) and found[2] or 'lost', tonumber(found[4]), tonumber(found[5]), found[6],
            found[7], found[8],
        }
    end
end
table.sort(rows, function(one, other)
    if one[4] ~= other[4] then return one[4] < other[4] end
    return one[1] < other[1]
end)
return {'workers', rows, 'foreign', foreign}
