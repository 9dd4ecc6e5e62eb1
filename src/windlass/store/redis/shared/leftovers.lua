-- What is left of jobs whose bodies are gone, besides their places. Needs KEY.events, chunks, texts, index and events.
-- with tags
local function remove_remains(seqs)
    local keys = {}
    for _, seq in ipairs(seqs) do
        keys[#keys + 1] = job_key(seq)
        keys[#keys + 1] = events_key(seq)
        keys[#keys + 1] = text_key('steps', seq)
        remove_tags(seq)
        for _, what in ipairs(TEXTS) do keys[#keys + 1] = text_key(what, seq) end
    end
    in_portions(keys, function(...) redis.call('UNLINK', ...) end)
    in_portions(seqs, function(...) redis.call('ZREM', KEY.events, ...) end)
    for _, name in ipairs({'all', 'failed', 'cancelled'}) do remove_from_index(name, seqs) end
end
