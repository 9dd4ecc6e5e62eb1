-- Ids that lead to no job, or to a job with another id, and jobs that no list and no walk finds, for their bit is missing: at
-- most `limit`, of the ids from the cursor on.
-- KEYS ids
-- without epoch
-- asks cursor, limit
-- gives strays: rows (kind, name, seq); next: one row (cursor), 0 at the end
-- with chunks, texts, overwritten, index
local strays = {}

local function is_listed(seq)
    local block = block_of(seq)
    return try('GETBIT', bits_key('all', block), seq % BLOCK) == 1 and try('ZSCORE', blocks_key('all'), block)
end

-- row (next, ids) as slice
local slice = redis.call('HSCAN', KEY.ids, ask.cursor, 'COUNT', 1000)
for index = 1, #slice.ids, 2 do
    local id, seq = slice.ids[index], slice.ids[index + 1]
    local kind = try('HGET', job_key(seq), 'id') ~= id and 'id' or not is_listed(tonumber(seq)) and 'bit'
    if kind and #strays < ask.limit then strays[#strays + 1] = {kind, id, tonumber(seq) or 0} end
end
return {'strays', strays, 'next', {{slice.next}}}
