-- Ids that lead to no job, or to a job with another id: at most `limit`, of the ids from the cursor on.
-- KEYS ids
-- without epoch
-- asks cursor, limit
-- gives strays: rows (kind, name, seq); next: one row (cursor), 0 at the end
-- with chunks, texts, overwritten
local strays = {}
-- row (next, ids) as slice
local slice = redis.call('HSCAN', KEY.ids, ask.cursor, 'COUNT', 1000)
for index = 1, #slice.ids, 2 do
    local id, seq = slice.ids[index], slice.ids[index + 1]
    if try('HGET', job_key(seq), 'id') ~= id and #strays < ask.limit then
        strays[#strays + 1] = {'id', id, tonumber(seq) or 0}
    end
end
return {'strays', strays, 'next', {{slice.next}}}
