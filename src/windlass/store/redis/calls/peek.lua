-- The next jobs of one queue in the order in which they would be claimed; takes nothing.
-- KEYS counts, due
-- without epoch
-- asks queue, limit
-- gives jobs: rows as JobRecord
-- with portions, index, places, texts, record
local seqs = {}
for index, member in ipairs(redis.call('ZRANGE', pending_key(ask.queue), 0, ask.limit - 1)) do
    seqs[index] = pending_seq(member)
end
return {'jobs', records(seqs)}
