-- Who holds the concurrency key of a job, at most `limit` of them, and how many of those that wait at its gate come first,
-- counted up to 1,000.
-- KEYS counts, due, waiting, gates
-- without epoch
-- asks seq, limit
-- gives holders: rows (id, state); ahead: one row (number)
-- with chunks, index, state_sets, overwritten, concurrency
local COUNTED = 1000
local own = try('HMGET', job_key(written(ask.seq)), {own: concurrency_key, priority, gate}) or {}
local key, holders = own.concurrency_key or '', {}
local seqs = try('SMEMBERS', holders_key(key)) or {}
table.sort(seqs, function(one, other) return tonumber(one) < tonumber(other) end)
for index = 1, math.min(#seqs, ask.limit) do
    local job = try('HMGET', job_key(seqs[index]), {job: id, state}) or {}
    if job.id then holders[#holders + 1] = {job.id, job.state} end
end
local place = try('ZRANK', blocked_key(own.gate or key), pending_member(tonumber(own.priority) or 0, ask.seq)) or 0
return {'holders', holders, 'ahead', {{math.min(place, COUNTED)}}}
