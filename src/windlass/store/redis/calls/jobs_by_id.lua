-- Jobs by id, with everything that is known of them.
-- KEYS ids
-- without epoch
-- asks ids; seqs: none, or the numbers of these jobs, for those whose entry in `ids` was changed by hand
-- gives jobs: rows (JobRecord)
-- with chunks, texts, record
local seqs = {}
for index, known in ipairs(read_all('HMGET', KEY.ids, ask.ids)) do
    local seq = known or ask.seqs[index]
    if seq then seqs[#seqs + 1] = seq end
end
return {'jobs', records(seqs)}
