-- Stores jobs of another store as they are, in their order, with their keys and events; only the seq is this store's
-- own. What is there already stays. The first write is one that a server without memory refuses.
-- KEYS ids, seq, queues, counts, due, events, waiting, expiring, caches
-- asks jobs: rows (JobRecord) as job, none of which runs
--      keys: rows (HeldKey) as held; events: rows (MovedEvent) as moved
-- gives stored: one row (how many are new)
-- with chunks, texts, index, state_sets, record, unique, finished, events, tags, expiry, imported
local ids = {}
for index, job in ipairs(ask.jobs) do ids[index] = job.id end
local known, missing = read_all('HMGET', KEY.ids, ids), {}
for index, job in ipairs(ask.jobs) do
    if not known[index] then missing[#missing + 1] = job end
end
store_imported(missing)

-- A job that has a past here was stored together with it.
local has_past = {}
for _, moved in ipairs(ask.events) do
    local seq = redis.call('HGET', KEY.ids, moved.id)
    if seq and has_past[seq] == nil then has_past[seq] = redis.call('EXISTS', events_key(seq)) == 1 end
    if seq and not has_past[seq] then
        local text = event(moved.at, moved.kind, moved.worker, moved.fence, moved.detail)
        redis.call('RPUSH', events_key(seq), text)
        redis.call('ZADD', KEY.events, 'NX', moved.at, seq)
    end
end

for _, held in ipairs(ask.keys) do
    local holder, is_left = holder_of(held.key)
    if not holder then
        if is_left then
            CACHE.remove(held.key)
            redis.call('DEL', unique_key(held.key))
        end
        hold_key(held.key, held.id, held.until, held.expires_at, held.cached_for, held.bytes)
        if held.cached_for then redis.call('SADD', KEY.caches, CACHE.task(held.key)) end
    end
end
return {'stored', {{#missing}}}
