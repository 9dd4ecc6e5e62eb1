-- The unique keys that jobs hold, what happened to the jobs, in order, and which of them have steps.
-- KEYS ids, events
-- without epoch
-- asks ids
-- gives keys: rows (HeldKey); events: rows (MovedEvent); stepped: rows (seq, id)
-- with chunks, unique, events
local keys, events, stepped = {}, {}, {}
for index, seq in ipairs(read_all('HMGET', KEY.ids, ask.ids)) do
    local id = ask.ids[index]
    local key = seq and redis.call('HGET', job_key(seq), 'unique_key')
    local held = key and redis.call('HMGET', unique_key(key), {held: id, until, expires_at, cached_for, bytes})
    if held and held.id == id then
        keys[#keys + 1] = {
            HeldKey; key = key; id = id; until = held.until; expires_at = tonumber(held.expires_at) or false;
            cached_for = tonumber(held.cached_for) or false; bytes = tonumber(held.bytes) or false}
    end
    for _, text in ipairs(seq and redis.call('LRANGE', events_key(seq), 0, -1) or {}) do
        events[#events + 1] = {id, unpack(event_row(text), 1, {#EventRecord})}
    end
    if seq and redis.call('HEXISTS', job_key(seq), 'steps') == 1 then stepped[#stepped + 1] = {tonumber(seq), id} end
end
return {'keys', keys, 'events', events, 'stepped', stepped}
