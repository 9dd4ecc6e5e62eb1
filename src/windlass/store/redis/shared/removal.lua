-- Removing jobs that do not run, with all that is told of them. `remove` takes the body and gathers the rest;
-- `settle_removals` writes it. Needs KEY.ids, KEY.events, portions, texts, index, places and unique.
local REMOVED = {'state', 'queue', 'priority', 'id', 'unique_key', 'fence'}
local removed_keys, removed_ids, removed_seqs = {}, {}, {}

-- job: its fields REMOVED
local function remove(seq, job)
    redis.call('DEL', job_key(seq))
    for _, what in ipairs(TEXTS) do removed_keys[#removed_keys + 1] = text_key(what, seq) end
    removed_keys[#removed_keys + 1] = text_key('events', seq)
    -- Also one for a window: a job that is gone holds nothing.
    if job[5] and redis.call('HGET', unique_key(job[5]), 'id') == job[4] then
        removed_keys[#removed_keys + 1] = unique_key(job[5])
    end
    displace(job[1], job[2], seq, tonumber(job[3]) or 0)
    removed_ids[#removed_ids + 1] = job[4]
    removed_seqs[#removed_seqs + 1] = seq
end

local function settle_removals()
    in_portions(removed_keys, function(...) redis.call('UNLINK', ...) end)
    in_portions(removed_ids, function(...) redis.call('HDEL', KEY.ids, ...) end)
    in_portions(removed_seqs, function(...) redis.call('ZREM', KEY.events, ...) end)
    remove_from_index('all', removed_seqs)
    settle()
end
