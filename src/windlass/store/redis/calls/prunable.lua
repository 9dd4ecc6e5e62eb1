-- Finished jobs of one queue and state that are older than `age`, or beyond the newest `keep`, the oldest first.
-- KEYS counts, due
-- without epoch
-- asks queue, state, age, keep, limit
-- gives jobs: rows as JobRecord; lost: rows (seq, queue, state) of those whose bodies are gone; foreign: see there in
--       shared/
-- with portions, index, places, texts, record
local key = finished_key(ask.state, ask.queue)
-- Both are the beginning of the same order, by finish time and then by seq.
local too_old = try('ZCOUNT', key, '-inf', '(' .. written(now - ask.age)) or 0
local too_many = (try('ZCARD', key) or 0) - ask.keep
local most = math.min(ask.limit, math.max(too_old, too_many))
if most <= 0 then return {'jobs', {}, 'lost', {}, 'foreign', foreign} end

local seqs = {}
for index, member in ipairs(redis.call('ZRANGE', key, 0, most - 1)) do seqs[index] = written(tonumber(member)) end
local rows, is_there, lost = records(seqs), {}, {}
for _, row in ipairs(rows) do is_there[written(row[1])] = true end
for _, seq in ipairs(seqs) do
    if not is_there[seq] then lost[#lost + 1] = {tonumber(seq), ask.queue, ask.state} end
end
return {'jobs', rows, 'lost', lost, 'foreign', foreign}
