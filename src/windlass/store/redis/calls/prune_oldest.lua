-- Removes the oldest finished jobs of one queue and state behind the position (after_at, after_seq) that are older than
-- `age`, or not younger than the position (beyond_at, beyond_seq), with their events and indexes. A job with edges stays:
-- see prunable.
-- KEYS counts, due, ids, events, waiting, edges, awaited, unsettled
-- asks queue, state, age, beyond_at, beyond_seq, after_at, after_seq, limit; not bytes, for to free a long text takes
--      no time
-- gives pruned: one row (Pruned), or none if there is no such job; vanished: rows (VanishedJob) of those whose bodies
--       are gone; overwritten: see shared/overwritten
-- with chunks, texts, allow_oom, index, state_sets, unique, removal
local TIES = 100
local place_of_all = finished_key(ask.state, ask.queue)

local function position_of(member) return tonumber(redis.call('ZSCORE', place_of_all, member)), finished_seq(member) end

-- Whether a job stands before a position or at it. Those of one moment are in the order of their seqs.
local function is_up_to(member, at, seq)
    local own_at, own_seq = position_of(member)
    return own_at < at or (own_at == at and own_seq <= seq)
end

-- How many jobs stand up to a position: nearly always none, for retention has let go of them.
local function rank_behind(at, seq)
    local oldest = try('ZRANGE', place_of_all, 0, 0) or {}
    if not oldest[1] or not is_up_to(oldest[1], at, seq) then return 0 end
    local rank, offset, ties = redis.call('ZCOUNT', place_of_all, '-inf', '(' .. written(at)), 0, nil
    repeat
        ties = redis.call('ZRANGEBYSCORE', place_of_all, written(at), written(at), 'LIMIT', offset, TIES)
        for _, member in ipairs(ties) do
            if finished_seq(member) > seq then return rank end
            rank = rank + 1
        end
        offset = offset + TIES
    until #ties < TIES
    return rank
end

local function may_go(member)
    return is_up_to(member, ask.beyond_at, ask.beyond_seq) or position_of(member) < now - ask.age
end

-- How many of these may go; if one may, all before it may.
local function number_that_may_go(members)
    if members[1] and may_go(members[#members]) then return #members end
    local low, high = 0, #members
    while high - low > 1 do
        local middle = math.floor((low + high) / 2)
        if may_go(members[middle]) then low = middle else high = middle end
    end
    return low
end

local first = rank_behind(ask.after_at, ask.after_seq)
-- One more than it removes shows whether there are more.
local members = try('ZRANGE', place_of_all, first, first + ask.limit) or {}
local number = number_that_may_go(members)
if number == 0 then return {'pruned', {}, 'overwritten', overwritten} end

local last = math.min(number, ask.limit)
local at, newest = position_of(members[last])
local pruned, vanished, is_any_kept, has_edges = {}, {}, false, redis.call('EXISTS', KEY.edges) == 1
for index = 1, last do
    local member = members[index]
    local seq, plain = finished_job(member)
    local is_kept = has_edges and redis.call('SISMEMBER', KEY.edges, seq) == 1
    local is_there, is_cached
    if not is_kept then is_there, is_cached = remove_if_there(seq, plain ~= '') end
    if is_kept or is_cached then
        is_any_kept = true
    elseif is_there then
        pruned[#pruned + 1] = member
    else
        vanished[#vanished + 1] = {VanishedJob; seq = tonumber(seq); queue = ask.queue; was = ask.state}
    end
end
if #vanished == 0 and not is_any_kept then
    redis.call('ZREMRANGEBYRANK', place_of_all, first, first + last - 1)
else
    in_portions(pruned, function(...) redis.call('ZREM', place_of_all, ...) end)
end
count(ask.state, ask.queue, -#pruned)
settle_removals()
if INDEXED[ask.state] then remove_from_index(ask.state, removed_seqs) end
local row = {Pruned; count = #pruned; finished_at = at; seq = newest; has_more = number > last and 1 or 0}
return {'pruned', {row}, 'vanished', vanished, 'overwritten', overwritten}
