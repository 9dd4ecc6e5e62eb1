-- Events that may happen to a job very often: one of a kind for each job, which counts how often it happened and tells
-- when it did last.
-- with events
local function note_again(seq, kind)
    for index, text in ipairs(redis.call('LRANGE', events_key(seq), 0, -1)) do
        local old = event_row(text) -- row (EventRecord) as old
        if old.kind == kind then
            local detail = string.format('{"times":%d}', cjson.decode(old.detail).times + 1)
            redis.call('LSET', events_key(seq), index - 1, event(now, kind, nil, nil, detail))
            return
        end
    end
    note(seq, kind, nil, nil, '{"times":1}')
end
