-- The unique keys that jobs hold, and what happened to them, in order.
-- KEYS ids, events
-- without epoch
-- asks ids
-- gives keys: rows (key, id, until, expires_at); events: rows (id, at, kind, worker, fence, detail)
-- with chunks, unique, events
local keys, events = {}, {}
for index, seq in ipairs(read_all('HMGET', KEY.ids, ask.ids)) do
    local id = ask.ids[index]
    local key = seq and redis.call('HGET', job_key(seq), 'unique_key')
    local held = key and redis.call('HMGET', unique_key(key), 'id', 'until', 'expires_at')
    if held and held[1] == id then keys[#keys + 1] = {key, id, held[2], tonumber(held[3]) or false} end
    for _, text in ipairs(seq and redis.call('LRANGE', events_key(seq), 0, -1) or {}) do
        events[#events + 1] = {id, unpack(event_row(text), 1, 5)}
    end
end
return {'keys', keys, 'events', events}
