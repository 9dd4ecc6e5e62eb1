-- Removing jobs that do not run, with all that is told of them but their places: `remove` gathers, `settle_removals`
-- writes, few commands for many jobs. Needs KEY.ids, KEY.events, portions, texts, index, places and unique.
-- with foreign
local REMOVED = {'id', 'unique_key', 'finished_at', 'state', unpack(TEXTS)}
local FIRST_TEXT = #REMOVED - #TEXTS
local removed_keys, removed_ids, removed_seqs = {}, {}, {}

-- job: its fields REMOVED
local function remove(seq, job)
    removed_keys[#removed_keys + 1] = job_key(seq)
    -- Only a text whose field is empty has a key of its own.
    for index, what in ipairs(TEXTS) do
        if job[FIRST_TEXT + index] == '' then removed_keys[#removed_keys + 1] = text_key(what, seq) end
    end
    -- Also one for a window: a job that is gone holds nothing.
    if job[2] and redis.call('HGET', unique_key(job[2]), 'id') == job[1] then
        removed_keys[#removed_keys + 1] = unique_key(job[2])
    end
    removed_ids[#removed_ids + 1] = job[1]
    removed_seqs[#removed_seqs + 1] = seq
end

local function settle_removals()
    in_portions(removed_keys, function(...) redis.call('UNLINK', ...) end)
    in_portions(removed_ids, function(...) redis.call('HDEL', KEY.ids, ...) end)
    in_portions(removed_seqs, function(...)
        -- Few jobs have events.
        if redis.call('ZREM', KEY.events, ...) > 0 then
            for _, seq in ipairs({...}) do redis.call('UNLINK', text_key('events', seq)) end
        end
    end)
    remove_from_index('all', removed_seqs)
    settle()
end
