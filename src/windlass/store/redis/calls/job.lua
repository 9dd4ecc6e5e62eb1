-- Jobs by id, with everything that is known of them.
-- KEYS ids
-- without epoch
-- asks ids
-- gives jobs: rows as JobRecord
-- with portions, texts, record
local seqs = {}
for _, seq in ipairs(read_all('HMGET', KEY.ids, ask.ids)) do
    if seq then seqs[#seqs + 1] = seq end
end
return {'jobs', records(seqs)}
