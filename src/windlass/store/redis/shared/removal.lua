-- Removing jobs that do not run, with their events and indexes but not their places: `remove` gathers, `settle_removals`
-- writes, few commands for many jobs. Needs KEY.ids, KEY.events, KEY.edges, KEY.awaited, KEY.unsettled, chunks, texts, index, state_sets and unique.
-- with overwritten, tags, waits, edge_removal
local REMOVED = {{job: id, unique_key}, unpack(TEXTS)}
local FIRST_TEXT = #REMOVED - #TEXTS + 1
-- A hash, but found and removed like a long text.
REMOVED[#REMOVED + 1] = 'steps'
REMOVED[#REMOVED + 1] = 'awaits'
local AWAITS = #REMOVED
local TAGS
for index, what in ipairs(REMOVED) do
    if what == 'tags' then TAGS = index end
end
-- The fields for prune, which compares state and finish time first.
local EXAMINED = {unpack(REMOVED)}
local ID, FINISHED_AT, STATE = 1, #REMOVED + 1, #REMOVED + 2
EXAMINED[FINISHED_AT], EXAMINED[STATE] = 'finished_at', 'state'
local removed_keys, removed_ids, removed_seqs = {}, {}, {}

-- job: its fields REMOVED, and any behind them
local function remove(seq, job)
    removed_keys[#removed_keys + 1] = job_key(seq)
    if job[TAGS] then remove_tags(seq) end
    if job[AWAITS] then redis.call('SREM', waiters_key(job[AWAITS]), seq) end
    -- Only a text whose field is empty has a key of its own.
    for index = FIRST_TEXT, #REMOVED do
        if job[index] == '' then removed_keys[#removed_keys + 1] = text_key(REMOVED[index], seq) end
    end
    -- Also one for a window: a job that is gone holds nothing.
    if job.unique_key and redis.call('HGET', unique_key(job.unique_key), 'id') == job.id then
        CACHE.remove(job.unique_key)
        removed_keys[#removed_keys + 1] = unique_key(job.unique_key)
    end
    removed_ids[#removed_ids + 1] = job.id
    removed_seqs[#removed_seqs + 1] = seq
end

-- The same for one that is plain (see state_sets).
local function remove_plain(seq, id)
    removed_keys[#removed_keys + 1] = job_key(seq)
    removed_ids[#removed_ids + 1] = id
    removed_seqs[#removed_seqs + 1] = seq
end

-- Whether it was there: the body of a job may be gone, or overwritten. Then, whether it stays because its result is
-- cached.
local function remove_if_there(seq, is_plain)
    if is_plain then
        local id = try('HGET', job_key(seq), 'id')
        if id then remove_plain(seq, id) end
        return id
    end
    local job = try('HMGET', job_key(seq), unpack(REMOVED)) or {}
    local is_cached = job.id and CACHE.holds(job.unique_key, job.id)
    if job.id and not is_cached then remove(seq, job) end
    return job.id, is_cached
end

-- Few jobs have events.
local function remove_events()
    if redis.call('EXISTS', KEY.events) == 0 then return end
    in_portions(removed_seqs, function(...)
        if redis.call('ZREM', KEY.events, ...) == 0 then return end
        local keys = {}
        for index, seq in ipairs({...}) do keys[index] = text_key('events', seq) end
        redis.call('UNLINK', unpack(keys))
    end)
end

-- Few jobs have edges. Those that wait for a job that is gone are looked at by promote, or by this call.
local function remove_edges()
    if redis.call('EXISTS', KEY.edges) == 0 then return end
    in_portions(removed_seqs, function(...)
        local seqs = {...}
        for index, has_edges in ipairs(try('SMISMEMBER', KEY.edges, ...) or {}) do
            if has_edges == 1 then forget_edges(seqs[index]) end
        end
    end)
end

local function settle_removals()
    in_portions(removed_keys, function(...) redis.call('UNLINK', ...) end)
    in_portions(removed_ids, function(...) redis.call('HDEL', KEY.ids, ...) end)
    remove_events()
    remove_edges()
    remove_from_index('all', removed_seqs)
    settle()
end
