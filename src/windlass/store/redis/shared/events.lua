-- The unusual in a job's life: a list for each job, the newest hundred.
local EVENTS_KEPT = 100

-- detail is JSON text; the numbers are written whole, where cjson would round long ones.
local function note(seq, kind, worker, fence, detail)
    local key = text_key('events', seq)
    redis.call('RPUSH', key, string.format(
        '[%s,"%s",%s,%d,%s]', stamp, kind, worker and cjson.encode(worker) or 'null', fence, cjson.encode(detail)))
    redis.call('LTRIM', key, -EVENTS_KEPT, -1)
end
