-- The next jobs by age, from the `limit` that come after `after`; their sizes bound how many are moved at once.
-- without epoch
-- asks after, queue (or null for all), limit
-- gives stops: rows (seq, id, about how many bytes); looked: one row (how many were looked at, the seq of the last)
-- with portions, texts, walks
local stops, looked, last = {}, 0, false

local function size(seq)
    local bytes = 0
    for _, what in ipairs(TEXTS) do
        bytes = bytes + redis.call('HSTRLEN', job_key(seq), what) + redis.call('STRLEN', text_key(what, seq))
    end
    return bytes
end

walk_up('all', ask.after, function(number)
    local seq = written(number)
    local job = redis.call('HMGET', job_key(seq), 'id', 'queue')
    if job[1] and (not ask.queue or job[2] == ask.queue) then stops[#stops + 1] = {number, job[1], size(seq)} end
    looked, last = looked + 1, number
    return looked == ask.limit
end)
return {'stops', stops, 'looked', {{looked, last}}}
