-- What is left of jobs whose bodies are gone, besides their places. Needs KEY.events, KEY.edges, KEY.awaited, KEY.unsettled, chunks, texts, index and events.
-- with tags, edge_removal
local function remove_remains(seqs)
    local keys = {}
    for _, seq in ipairs(seqs) do
        keys[#keys + 1] = job_key(seq)
        keys[#keys + 1] = events_key(seq)
        keys[#keys + 1] = text_key('steps', seq)
        remove_tags(seq)
        for _, what in ipairs(TEXTS) do keys[#keys + 1] = text_key(what, seq) end
    end
    if redis.call('EXISTS', KEY.edges) == 1 then
        for _, seq in ipairs(seqs) do forget_edges(seq) end
    end
    in_portions(keys, function(...) redis.call('UNLINK', ...) end)
    in_portions(seqs, function(...) redis.call('ZREM', KEY.events, ...) end)
    for _, name in ipairs({'all', 'failed', 'cancelled'}) do remove_from_index(name, seqs) end
end
