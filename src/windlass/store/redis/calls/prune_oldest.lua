-- Removes the oldest finished jobs of one queue and state behind the position (after_at, after_seq) that are older than
-- `age`, or not younger than the position (beyond_at, beyond_seq), with all that is told of them.
-- KEYS counts, due, ids, events, waiting
-- asks queue, state, age, beyond_at, beyond_seq, after_at, after_seq, limit; not bytes, for to free a long text takes no
--      time
-- gives pruned: one row (how many, finished_at and seq of the last one, whether there are more behind it), or none if
--       there is no such job; lost: rows (seq, queue, state) of those whose bodies are gone; foreign: see there in shared/
-- with portions, texts, drain, index, places, unique, removal
local TIES = 100
local place_of_all = finished_key(ask.state, ask.queue)

-- How many jobs lie up to a position. Those of one moment are in the order of their seqs, here and in retention.
local function rank_behind(at, seq)
    local rank, offset, ties = try('ZCOUNT', place_of_all, '-inf', '(' .. written(at)) or 0, 0, nil
    repeat
        ties = try('ZRANGEBYSCORE', place_of_all, written(at), written(at), 'LIMIT', offset, TIES) or {}
        for _, member in ipairs(ties) do
            if tonumber(member) > seq then return rank end
            rank = rank + 1
        end
        offset = offset + TIES
    until #ties < TIES
    return rank
end

local old = try('ZCOUNT', place_of_all, '-inf', '(' .. written(now - ask.age)) or 0
local first, stop = rank_behind(ask.after_at, ask.after_seq), math.max(old, rank_behind(ask.beyond_at, ask.beyond_seq))
local last = math.min(stop, first + ask.limit) - 1
if last < first then return {'pruned', {}, 'foreign', foreign} end

local members, pruned, lost = redis.call('ZRANGE', place_of_all, first, last), {}, {}
local newest = members[#members]
local position = {tonumber(redis.call('ZSCORE', place_of_all, newest)), tonumber(newest)}
for _, member in ipairs(members) do
    local seq = string.match(member, '^0*(%d+)$')
    local job = try('HMGET', job_key(seq), unpack(REMOVED)) or {}
    if job[1] then
        remove(seq, job)
        pruned[#pruned + 1] = member
    else
        lost[#lost + 1] = {tonumber(seq), ask.queue, ask.state}
    end
end
if #lost == 0 then
    redis.call('ZREMRANGEBYRANK', place_of_all, first, last)
else
    in_portions(pruned, function(...) redis.call('ZREM', place_of_all, ...) end)
end
count(ask.state, ask.queue, -#pruned)
settle_removals()
if INDEXED[ask.state] then remove_from_index(ask.state, removed_seqs) end
return {
    'pruned', {{#pruned, position[1], position[2], last + 1 < stop and 1 or 0}}, 'lost', lost, 'foreign', foreign,
}
