-- Removes jobs that do not run, with all that is told of them; one that runs is its owner's.
-- KEYS counts, due, ids, events, waiting
-- asks seqs; states: those that both the caller and the table of transitions allow
-- gives deleted: rows (seq)
-- with portions, texts, drain, index, places, unique
local states = {}
for _, state in ipairs(ask.states) do states[state] = true end

local keys, ids, deleted, seqs = {}, {}, {}, {}
for _, number in ipairs(ask.seqs) do
    local seq = written(number)
    local key = job_key(seq)
    local job = redis.call('HMGET', key, 'state', 'queue', 'priority', 'id', 'unique_key')
    if states[job[1]] then
        redis.call('DEL', key)
        for _, what in ipairs(TEXTS) do keys[#keys + 1] = text_key(what, seq) end
        keys[#keys + 1] = text_key('events', seq)
        -- Also one for a window: a job that is gone holds nothing.
        if job[5] and redis.call('HGET', unique_key(job[5]), 'id') == job[4] then
            keys[#keys + 1] = unique_key(job[5])
        end
        displace(job[1], job[2], seq, tonumber(job[3]) or 0)
        ids[#ids + 1] = job[4]
        seqs[#seqs + 1] = seq
        deleted[#deleted + 1] = {number}
    end
end
in_portions(keys, function(...) redis.call('UNLINK', ...) end)
in_portions(ids, function(...) redis.call('HDEL', KEY.ids, ...) end)
in_portions(seqs, function(...) redis.call('ZREM', KEY.events, ...) end)
remove_from_index('all', seqs)
settle()
return {'deleted', deleted}
