-- The next jobs by age, from the `limit` that come after `after`; their sizes bound how many are moved at once.
-- without epoch
-- asks after, queue (or null for all), limit
-- gives stops: rows (Found); looked: one row (how many were looked at, the seq of the last)
-- with chunks, texts, sizes, scan
local stops, examined, last = {}, 0, false

walk_up('all', ask.after, function(number)
    local seq = written(number)
    local size, job = size_of(seq, {job: id, queue})
    if job and (not ask.queue or job.queue == ask.queue) then
        stops[#stops + 1] = {Found; seq = number; id = job.id; size = size}
    end
    examined, last = examined + 1, number
    return examined == ask.limit
end)
return {'stops', stops, 'examined', {{examined, last}}}
