-- Edges: which job waits for which. A child is blocked at the gate `parents` until all of its edges are settled. What ends
-- jobs says so by `place`, or adds them to EDGES.ended, and calls EDGES.settle when all that it does to jobs is settled.
-- Needs KEY.awaited, KEY.unsettled, KEY.expiring, state_sets and unique. One name, for scripts may have 200 of them at most.
-- with overwritten, expiry
local EDGES = {ended = ended_jobs, released = 0, cancelled = 0, GATE = 'parents', OPEN = 0, SETTLED = 1, WAITS = 2}
-- How many jobs one call looks at; the others are left to promote.
EDGES.AT_ONCE = 500
EDGES.FINAL = {completed = true, failed = true, cancelled = true}

-- The children of a job, by how the edge stands; the parents of a job, in order; those of them that are awaited.
function EDGES.children_key(seq) return prefix .. 'children:' .. seq end
function EDGES.parents_key(seq) return prefix .. 'parents:' .. seq end
function EDGES.awaits_key(seq) return prefix .. 'awaits:' .. seq end
-- The members of a callback's group, in order; which of them it watches: its place and its seq.
function EDGES.members_key(seq) return prefix .. 'members:' .. seq end
function EDGES.watch_key(seq) return prefix .. 'watch:' .. seq end

-- The fields of a child that waits for parents, or nothing.
function EDGES.waiting_child(seq)
    local child = try('HMGET', job_key(seq), {
        child: state, gate, queue, priority, run_at, crashes, rescues, id, unique_key, start_by}) or {}
    if child.state ~= 'blocked' or child.gate ~= EDGES.GATE then return end
    return child, tonumber(child.priority) or 0, is_suspect(child.crashes, child.rescues)
end

-- Lets a child go whose edges are settled.
function EDGES.release(seq)
    local child, priority, suspect = EDGES.waiting_child(seq)
    if not child then return end
    local state = (tonumber(child.run_at) or now) > now and 'scheduled' or ready(child.queue, suspect)
    redis.call('HSET', job_key(seq), 'state', state)
    redis.call('HDEL', job_key(seq), 'reason', 'gate')
    displace('blocked', child.queue, seq, priority, suspect, EDGES.GATE)
    place(state, child.queue, seq, priority, child.run_at or stamp, suspect)
    EDGES.released = EDGES.released + 1
end

-- Ends a child that one of its parents takes along; place adds it to what has ended.
function EDGES.cancel(seq)
    local child, priority, suspect = EDGES.waiting_child(seq)
    if not child then return end
    redis.call('HSET', job_key(seq), 'state', 'cancelled', 'reason', 'dependency', 'finished_at', stamp)
    redis.call('HDEL', job_key(seq), 'gate')
    displace('blocked', child.queue, seq, priority, suspect, EDGES.GATE)
    place('cancelled', child.queue, seq, priority, stamp)
    if child.unique_key then release_key(child.unique_key, child.id) end
    if child.start_by then drop_expiry(seq) end
    EDGES.cancelled = EDGES.cancelled + 1
end

-- The first member behind a place that the callback has to wait for: its place and its seq; nothing if there is none.
function EDGES.next_member(callback, place, policy)
    local PAGE = 500
    while true do
        local members = try('LRANGE', EDGES.members_key(callback), place + 1, place + PAGE) or {}
        for index, member in ipairs(members) do
            local state = try('HGET', job_key(member), 'state')
            local is_done = state == 'completed' or (policy == 'run' and (not state or EDGES.FINAL[state]))
            if not is_done then return place + index, member end
        end
        if #members < PAGE then return end
        place = place + PAGE
    end
end

-- Lets a callback wait for one of its members. One that has ended already decides about it at once.
function EDGES.watch(callback, place, member)
    redis.call('HSET', EDGES.watch_key(callback), 'place', written(place), 'member', member)
    redis.call('ZADD', EDGES.children_key(member), EDGES.OPEN, callback)
    redis.call('SADD', EDGES.awaits_key(callback), member)
    redis.call('SADD', KEY.awaited, member)
    local state = try('HGET', job_key(member), 'state')
    if not state or EDGES.FINAL[state] then EDGES.settle_parent(member, EDGES.AT_ONCE) end
end

-- A callback whose watched member has ended goes on to the next one that it has to wait for; false if there is none, or if the
-- member is not the watched one. Only ended ones lie between: each is passed by once.
function EDGES.go_on(member, callback)
    local watch = try('HMGET', EDGES.watch_key(callback), {watch: place, member}) or {}
    if watch.member ~= member then return false end
    local policy = try('HGET', job_key(callback), 'on_parent_failure') or 'cancel'
    local place, following = EDGES.next_member(callback, tonumber(watch.place), policy)
    if not place then return false end
    redis.call('ZREM', EDGES.children_key(member), callback)
    redis.call('SREM', EDGES.awaits_key(callback), member)
    EDGES.watch(callback, place, following)
    return true
end

-- The groups of a job, as rows (callback, place).
function EDGES.groups_of(seq)
    local groups = {}
    for callback, place in string.gmatch(try('HGET', job_key(seq), 'groups') or '', '(%d+):(%d+)') do
        groups[#groups + 1] = {callback, tonumber(place)}
    end
    return groups
end

-- Members of groups that were retried are waited for: the callback watches such a one, if it watched one behind it.
-- members: seqs; group: row (callback, place) as group
function EDGES.watch_again(members)
    if redis.call('EXISTS', KEY.edges) == 0 then return end
    for _, seq in ipairs(members) do
        for _, group in ipairs(EDGES.groups_of(seq)) do
            local watch = try('HMGET', EDGES.watch_key(group.callback), {watch: place, member}) or {}
            if EDGES.waiting_child(group.callback) and (tonumber(watch.place) or 0) > group.place then
                EDGES.unwatch(group.callback, watch.member)
                EDGES.watch(group.callback, group.place, seq)
            end
        end
    end
end

-- A parent that was named by itself, too, is waited for all the same.
function EDGES.unwatch(callback, member)
    for _, parent in ipairs(redis.call('LRANGE', EDGES.parents_key(callback), 0, -1)) do
        if parent == member then return end
    end
    redis.call('ZREM', EDGES.children_key(member), callback)
    redis.call('SREM', EDGES.awaits_key(callback), member)
    if redis.call('EXISTS', EDGES.children_key(member)) == 0 then redis.call('SREM', KEY.awaited, member) end
end

-- Settles one edge of a parent that has ended in this state; nothing for one that is gone.
function EDGES.settle_one(parent, child, state)
    local policy = state ~= 'completed' and (try('HGET', job_key(child), 'on_parent_failure') or 'cancel') or 'run'
    if policy == 'wait' then
        redis.call('ZADD', EDGES.children_key(parent), EDGES.WAITS, child)
        return
    end
    if policy == 'run' and EDGES.go_on(parent, child) then return end
    redis.call('ZADD', EDGES.children_key(parent), EDGES.SETTLED, child)
    redis.call('SREM', EDGES.awaits_key(child), parent)
    if policy == 'cancel' then
        EDGES.cancel(child)
    elseif redis.call('EXISTS', EDGES.awaits_key(child)) == 0 then
        EDGES.release(child)
    end
end

-- Settles edges of one parent, so many at the most; how many it has looked at.
function EDGES.settle_parent(parent, most)
    redis.call('SREM', KEY.unsettled, parent)
    local state = try('HGET', job_key(parent), 'state')
    if state and not EDGES.FINAL[state] then return 0 end
    local key = EDGES.children_key(parent)
    -- A child that waits for a parent which has failed goes on with those that are open once the parent has completed.
    local last = state == 'completed' and EDGES.WAITS or EDGES.OPEN
    local children = try('ZRANGEBYSCORE', key, EDGES.OPEN, EDGES.OPEN, 'LIMIT', 0, most) or {}
    if #children < most and last == EDGES.WAITS then
        for _, child in ipairs(redis.call('ZRANGEBYSCORE', key, last, last, 'LIMIT', 0, most - #children)) do
            children[#children + 1] = child
        end
    end
    for _, child in ipairs(children) do EDGES.settle_one(parent, child, state) end
    if #children == most then redis.call('SADD', KEY.unsettled, parent) end
    if #children < most and redis.call('ZCOUNT', key, EDGES.WAITS, EDGES.WAITS) == 0 then
        redis.call('SREM', KEY.awaited, parent)
    end
    -- What is left of a parent that is gone.
    if not state and redis.call('EXISTS', key) == 1 and redis.call('SISMEMBER', KEY.awaited, parent) == 0 then
        redis.call('UNLINK', key)
    end
    return #children
end

-- Takes back what was cancelled because of these jobs, which are retried, and what was because of that in turn: it waits
-- again, and promote looks at edges whose parents have not completed. A unique key is not taken again. Needs KEY.edges.
function EDGES.revive(parents)
    if redis.call('EXISTS', KEY.edges) == 0 then return end
    local waits, index = {unpack(parents)}, 1
    while waits[index] do
        for _, seq in ipairs(try('ZRANGE', EDGES.children_key(waits[index]), 0, -1) or {}) do
            local child = try('HMGET', job_key(seq), {
                child: state, gate, queue, priority, run_at, crashes, rescues, id, unique_key, start_by}) or {}
            local is_revived = child.state == 'cancelled' and try('HGET', job_key(seq), 'reason') == 'dependency'
            if is_revived then
                EDGES.block_again(seq, child)
                waits[#waits + 1] = seq
            end
        end
        index = index + 1
    end
    if index > #parents + 1 then settle() end
end

-- child: row (state, gate, queue, priority, run_at, crashes, rescues, id, unique_key, start_by) as child
function EDGES.block_again(seq, child)
    local priority = tonumber(child.priority) or 0
    redis.call('HSET', job_key(seq), 'state', 'blocked', 'reason', 'parents', 'gate', EDGES.GATE)
    redis.call('HDEL', job_key(seq), 'finished_at')
    displace('cancelled', child.queue, seq, priority)
    place('blocked', child.queue, seq, priority, child.run_at or stamp, false, EDGES.GATE)
    if child.start_by then note_expiry(seq, child.start_by) end
    EDGES.wait_again(seq)
end

-- Opens the edges of a blocked child whose parents have not completed; how many there are. Promote looks at those of parents
-- that have ended or are gone.
function EDGES.wait_again(seq)
    local opened = 0
    local parents = redis.call('LRANGE', EDGES.parents_key(seq), 0, -1)
    parents[#parents + 1] = try('HGET', EDGES.watch_key(seq), 'member') or nil
    for _, parent in ipairs(parents) do
        local state = try('HGET', job_key(parent), 'state')
        if state ~= 'completed' then
            redis.call('ZADD', EDGES.children_key(parent), EDGES.OPEN, seq)
            redis.call('SADD', EDGES.awaits_key(seq), parent)
            redis.call('SADD', KEY.awaited, parent)
            if not state or EDGES.FINAL[state] then redis.call('SADD', KEY.unsettled, parent) end
            opened = opened + 1
        end
    end
    return opened
end

-- The edges of a child that waits for none of its parents any more.
function EDGES.stop_waiting(seq)
    for _, parent in ipairs(redis.call('SMEMBERS', EDGES.awaits_key(seq))) do
        local key = EDGES.children_key(parent)
        redis.call('ZADD', key, EDGES.SETTLED, seq)
        if redis.call('ZCOUNT', key, EDGES.OPEN, EDGES.OPEN) + redis.call('ZCOUNT', key, EDGES.WAITS, EDGES.WAITS) == 0 then
            redis.call('SREM', KEY.awaited, parent)
        end
    end
    redis.call('UNLINK', EDGES.awaits_key(seq))
end

-- Settles the edges of all jobs that this call has ended, children that are cancelled by that included.
-- runs: rows (seq) as run, and any fields behind it, of further jobs that may have ended
function EDGES.settle(write, runs)
    runs = runs or {}
    if #EDGES.ended + #runs == 0 or redis.call('EXISTS', KEY.awaited) == 0 then return end
    for _, run in ipairs(runs) do EDGES.ended[#EDGES.ended + 1] = run.seq end
    local first, room = 1, EDGES.AT_ONCE
    while first <= #EDGES.ended do
        local last = math.min(#EDGES.ended, first + 999)
        local seqs = {}
        for index = first, last do seqs[#seqs + 1] = written(EDGES.ended[index]) end
        for index, is_awaited in ipairs(try('SMISMEMBER', KEY.awaited, unpack(seqs)) or {}) do
            if is_awaited == 1 and room > 0 then
                room = room - EDGES.settle_parent(seqs[index], room)
            elseif is_awaited == 1 then
                redis.call('SADD', KEY.unsettled, seqs[index])
            end
        end
        first = last + 1
    end
    if EDGES.released + EDGES.cancelled == 0 then return end
    settle(write)
    -- Not with call: a user without the right to publish has ended jobs all the same; workers check within a second.
    if EDGES.released > 0 then redis.pcall('PUBLISH', prefix .. 'news:work', '') end
end
