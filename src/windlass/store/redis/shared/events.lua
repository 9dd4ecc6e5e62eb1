-- The unusual in a job's life: a list for each job, the newest hundred; and a list of what belongs to no job.
-- Needs KEY.events.
local EVENTS_KEPT, NOTICES_KEPT = 100, 1000

local function events_key(seq) return text_key('events', seq) end
local function json(value) return value and cjson.encode(value) or 'null' end

-- detail is JSON text; the numbers are written whole, where cjson would round long ones.
local function event(at, kind, worker, fence, detail)
    return string.format(
        '[%s,"%s",%s,%s,%s]', written(at), kind, json(worker), fence and written(fence) or 'null', json(detail))
end

local function note(seq, kind, worker, fence, detail)
    redis.call('RPUSH', events_key(seq), event(now, kind, worker, fence, detail))
    redis.call('LTRIM', events_key(seq), -EVENTS_KEPT, -1)
    -- By the oldest of them, so that tidy_events finds what is too old.
    redis.call('ZADD', KEY.events, 'NX', now, written(seq))
end

local function note_without_job(kind, worker, detail)
    redis.call('RPUSH', KEY.notices, event(now, kind, worker, nil, detail))
    redis.call('LTRIM', KEY.notices, -NOTICES_KEPT, -1)
end

-- An event as a row of EventRecord
local function event_row(text)
    local row = cjson.decode(text)
    for column = 1, {#EventRecord} do
        if row[column] == cjson.null then row[column] = false end
    end
    return row
end
