-- Where jobs are found by state. A job that waits or is finished lies in exactly one sorted set, one that runs in the
-- hash of its lease; the counters say how many of each queue there are. Needs KEY.counts and KEY.due.
-- `place` and `count` only gather; `settle` writes, one command for each sorted set and counter.
local placed, counted = {}, {}

local function padded(seq) return string.format('%014d', seq) end

-- Priority first (higher is smaller), then age: with equal scores a sorted set is in the order of its members.
local function rank(priority, seq) return string.format('%03d%014d', 500 - priority, seq) end

local function pending_key(queue) return prefix .. 'pending:' .. queue end

local function count(state, queue, by)
    local field = state .. ':' .. queue
    counted[field] = (counted[field] or 0) + by
end

-- `at` is when a job is due or was finished; the order among pending jobs does not depend on it.
local function place(state, queue, seq, priority, at)
    local key, score, member
    if state == 'pending' then
        key, score, member = pending_key(queue), '0', rank(priority, seq)
    elseif state == 'scheduled' or state == 'retrying' then
        key, score, member = KEY.due, at, padded(seq)
    else
        key, score, member = prefix .. 'finished:' .. state .. ':' .. queue, at, padded(seq)
    end
    local members = placed[key] or {}
    placed[key] = members
    members[#members + 1] = score
    members[#members + 1] = member
    count(state, queue, 1)
end

local function settle()
    for key, members in pairs(placed) do
        in_portions(members, function(...) redis.call('ZADD', key, ...) end)
    end
    for field, by in pairs(counted) do
        if by ~= 0 then redis.call('HINCRBY', KEY.counts, field, by) end
    end
    placed, counted = {}, {}
end
