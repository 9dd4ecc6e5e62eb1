-- Where jobs are found by state. A job that waits or is finished lies in exactly one sorted set, one that runs in the
-- hash of its lease; the counters say how many of each queue there are, and `waiting` names the queues whose counter of
-- pending jobs is not zero. Needs KEY.counts, KEY.due, KEY.waiting and index.
-- `place`, `displace` and `count` only gather; `settle` writes, one command for each sorted set and counter.
-- with order
local placed, displaced, counted = {}, {}, {}
-- Jobs in these states are few among the finished; those who look for them need not walk through all jobs.
local INDEXED = {failed = true, cancelled = true}
local indexed, unindexed = {}, {}
-- The jobs that this call has ended, for those parts that look at what follows from it (edges).
local ended_jobs = {}

local function padded(seq) return string.format('%014d', seq) end

-- A plain job is nothing but its hash: it has no unique key, and no text has a key of its own. Most completed jobs are
-- plain, and their members among the completed say so: who removes one has to know its id and no more.
local function plain_member(seq) return string.format('%014d+', seq) end
-- The seq as a text, and what is behind it: nothing, if it is not known that the job is plain.
local function finished_job(member) return string.match(member, '^0*(%d+)(%+?)$') end
local function finished_seq(member) return tonumber(string.sub(member, 1, 14)) end

local function pending_member(priority, seq) return string.format('%03d%014d', 500 - priority, seq) end
local function pending_seq(member) return string.match(member, '^...0*(%d+)$') end
local function pending_priority(member) return 500 - string.sub(member, 1, 3) end

local function pending_key(queue) return prefix .. 'pending:' .. queue end
-- Pending jobs whose last run died with its process, in the same order: a cycle takes at most one of them.
local function suspects_key(queue) return prefix .. 'suspects:' .. queue end
local function is_suspect(crashes, rescues) return (tonumber(crashes) or 0) + (tonumber(rescues) or 0) > 0 end
local function finished_key(state, queue) return prefix .. 'finished:' .. state .. ':' .. queue end

local function count(state, queue, by)
    local field = state .. ':' .. queue
    counted[field] = (counted[field] or 0) + by
end

-- Blocked jobs wait at a gate, the name of what they wait for; in the same order as pending ones.
local function blocked_key(gate) return prefix .. 'blocked:' .. gate end

-- The sorted set of a job that waits or is finished, and its member there; `gate` is that of a blocked one.
local function spot(state, queue, seq, priority, suspect, gate)
    if state == 'pending' then
        return suspect and suspects_key(queue) or pending_key(queue), pending_member(priority, seq)
    end
    if state == 'scheduled' or state == 'retrying' then return KEY.due, padded(seq) end
    if state == 'blocked' then return blocked_key(gate), pending_member(priority, seq) end
    return finished_key(state, queue), padded(seq)
end

-- A list of what is gathered under a name.
local function gathered(lists, name)
    local list = lists[name]
    if not list then
        list = {}
        lists[name] = list
    end
    return list
end

-- `at` is when a job became ready, is due or was finished.
local function place(state, queue, seq, priority, at, suspect, gate)
    local key, member = spot(state, queue, seq, priority, suspect, gate)
    local members = gathered(placed, key)
    members[#members + 1] = (state == 'pending' or state == 'blocked') and turn(priority, at) or at
    members[#members + 1] = member
    if INDEXED[state] then table.insert(gathered(indexed, state), tonumber(seq)) end
    if INDEXED[state] or state == 'completed' then ended_jobs[#ended_jobs + 1] = seq end
    count(state, queue, 1)
end

-- The same for many completed jobs of one queue: pairs of instant and member.
local function place_completed(queue, pairs_)
    local members = gathered(placed, finished_key('completed', queue))
    for _, value in ipairs(pairs_) do members[#members + 1] = value end
    count('completed', queue, #pairs_ / 2)
end

local function displace(state, queue, seq, priority, suspect, gate)
    local key, member = spot(state, queue, seq, priority, suspect, gate)
    table.insert(gathered(displaced, key), member)
    if state == 'completed' then table.insert(gathered(displaced, key), plain_member(seq)) end
    -- Earlier releases put suspects among the others.
    if suspect and state == 'pending' then table.insert(gathered(displaced, pending_key(queue)), member) end
    if INDEXED[state] then table.insert(gathered(unindexed, state), tonumber(seq)) end
    count(state, queue, -1)
end

-- A key that was overwritten is left as it is: calls that look into each queue find its jobs all the same.
local function note_waiting(field, was_empty)
    local queue = string.match(field, '^pending:(.*)$')
    if queue then redis.pcall(was_empty and 'SADD' or 'SREM', KEY.waiting, queue) end
end

-- How many jobs of all queues run, as long as there is a limit on that (see limits).
local function count_all_running(by)
    local key = prefix .. 'queue:*'
    if redis.pcall('HEXISTS', key, 'max_running') == 1 then redis.call('HINCRBY', key, 'running', by) end
end

-- Gives the counters that were at zero before. A call for many queues writes with `try` (see shared/overwritten): one
-- whose places are overwritten must not keep the others from theirs.
local function settle(write)
    write = write or redis.call
    local begun = {}
    for key, members in pairs(displaced) do
        in_portions(members, function(...) write('ZREM', key, ...) end)
    end
    for key, members in pairs(placed) do
        in_portions(members, function(...) write('ZADD', key, ...) end)
    end
    for state, seqs in pairs(unindexed) do remove_from_index(state, seqs) end
    for state, seqs in pairs(indexed) do
        for _, seq in ipairs(seqs) do add_to_index(state, seq) end
    end
    local running = 0
    for field, by in pairs(counted) do
        if string.sub(field, 1, 8) == 'running:' then running = running + by end
        local total = by ~= 0 and redis.call('HINCRBY', KEY.counts, field, by)
        if total == by then begun[field] = true end
        if total and (total == by or total <= 0) then note_waiting(field, total > 0) end
    end
    if running ~= 0 then count_all_running(running) end
    placed, displaced, counted, indexed, unindexed = {}, {}, {}, {}, {}
    return begun
end
