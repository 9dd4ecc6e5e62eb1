-- Stores jobs in the order of the call, all or none. Everything is looked at before anything is written, because a
-- script is not rolled back; the first write is one that a server without memory refuses.
-- KEYS ids, seq, queues, counts, due, waiting, events, expiring, caches, gates, awaited, unsettled, edges
-- asks jobs: rows (NewJob) as job
--      named: rows (index, id, task, payload, unique_key, until, window, rank, cached) as named/one/other, of jobs with an own
--      id or a unique key; of those with the same key the one with the lowest rank counts
--      replacing: rows (Replacement) as new/this/that, of jobs whose arguments are taken by the one that holds their key
--      queues; edges: rows (NewEdge) as edge
--      groups: rows (NewGroup) as group, whose callbacks are jobs of the call; members: rows (NewMember) as member, of these groups;
--      added: rows (NewMember) as further, of groups that are stored already; tied, which other stores need
-- gives conflict: rows (id, task), and nothing else: the id is a different job's already
--       full: rows (queue, max_length), and nothing else: the queue has no room for what the call would add
--       closed: rows (callback), and nothing else: a group to which members are to be added waits for none
--       missing: rows (child, parent), and nothing else: there is no such parent
--       known: rows (index) of ids that were there; found: rows (index, id, state) of who has the id or the key now
--       replaced: rows (id, state) of new jobs that gave their arguments to another, and how that one waits now
-- with chunks, texts, index, state_sets, unique, repeated_event, new_jobs, edges
table.sort(ask.named, function(one, other) return one.rank < other.rank end)
table.sort(ask.replacing, function(this, that) return this.rank < that.rank end)

-- The seqs of those jobs of the call that are there already, by id. One that the call adds is `true` there, later on.
local function find_known()
    local ids, there = {}, {}
    for index, job in ipairs(ask.jobs) do ids[index] = job.id end
    for index, seq in ipairs(read_all('HMGET', KEY.ids, ids)) do there[ids[index]] = seq end
    return there
end

local there = find_known()

-- A job of an earlier release has no seal, so white space at the end does not count. Of an encrypted payload the
-- beginning counts, which has the print of the call (core/encryption/text.py).
local function compared(text)
    if string.sub(text, 2, 12) == '"v":3,"f":"' then return string.sub(text, 1, 34) end
    local last = #text
    while string.find(text, '^%s', last) do last = last - 1 end
    return string.sub(text, 1, last)
end

-- Rows for known and conflict.
local function compare_known()
    local known, conflict = {}, {}
    for _, named in ipairs(ask.named) do
        local seq = there[named.id]
        local stored = seq and redis.call('HMGET', job_key(seq), {stored: task, payload})
        -- The id of a job whose body is gone is free.
        if seq and not stored.task then
            there[named.id] = nil
        elseif seq then
            known[#known + 1] = {named.index}
            local payload = whole_text('payload', seq, stored.payload) or ''
            if stored.task ~= named.task or compared(payload) ~= compared(named.payload) then
                conflict[#conflict + 1] = {named.id, stored.task}
            end
        end
    end
    return known, conflict
end

local known, conflict = compare_known()
if #conflict > 0 then return {'conflict', conflict} end

-- Who holds a key, the call's own jobs included.
local holders, stale_keys = {}, {}
local function holder(key)
    if holders[key] == nil then
        local id, is_left = holder_of(key)
        holders[key] = id
        if is_left and not id then stale_keys[#stale_keys + 1] = key end
    end
    return holders[key]
end

-- The named jobs that take their keys; a job that exists already takes nothing again.
local function take_keys()
    local takers = {}
    for _, named in ipairs(ask.named) do
        local id, key = named.id, named.unique_key
        if key and not holder(key) and not there[id] then
            holders[key] = id
            takers[#takers + 1] = named
        end
    end
    return takers
end

local takers = take_keys()

-- What the job that holds a key takes from a new one, if it waits for its first attempt: the new job, the holder's seq,
-- and where it stands before and after. One that is blocked becomes pending, and the next claim finds out what it waits
-- for; one that waits for parents stays as it is. A time that lies behind max_wait already is not brought forward by it.
local function replacement(new, id)
    local seq = redis.call('HGET', KEY.ids, id)
    local old = redis.call('HMGET', job_key(seq), {
        old: task, state, queue, priority, run_at, created_at, attempt, crashes, rescues, payload, expires,
        start_by, gate, concurrency_key, rate_key, steps})
    local state, run_at = old.state, tonumber(old.run_at) or now
    if old.task ~= new.task or (tonumber(old.attempt) or 0) > 0 or old.steps then return end
    if state ~= 'pending' and state ~= 'scheduled' and state ~= 'blocked' then return end
    if old.gate == EDGES.GATE then return end
    -- One that holds its concurrency key is about to run: it takes arguments of the same key, but no other time.
    local is_next = old.concurrency_key
        and redis.call('SISMEMBER', prefix .. 'holders:' .. old.concurrency_key, seq) == 1
    if is_next and old.concurrency_key ~= new.concurrency_key then return end
    local change = {
        source = new.id, text = new.payload, key = new.concurrency_key, had_key = old.concurrency_key, seq = seq,
        rate_key = new.rate_key, had_rate_key = old.rate_key,
        queue = old.queue, priority = tonumber(old.priority) or 0,
        suspect = is_suspect(old.crashes, old.rescues), was_long = old.payload == '',
        from = state, to = state == 'scheduled' and 'scheduled' or 'pending', run_at = run_at, gate = old.gate,
    }
    if new.moves == 1 and not is_next then
        local due_at = new.at or now + new.delay
        if new.max_wait then
            due_at = math.min(due_at, math.max((tonumber(old.created_at) or now) + new.max_wait, run_at))
        end
        change.to = due_at > now and 'scheduled' or 'pending'
        if due_at > now then change.run_at = due_at elseif state == 'scheduled' then change.run_at = now end
        -- The expiry counts from the new time, where there is one.
        change.expires = old.start_by and change.run_at ~= run_at and old.expires
    end
    return change
end

-- Of the new jobs with the same key only the first by rank counts; if it took the key itself, there is no other.
local function find_replaced()
    local changes, seen = {}, {}
    for _, new in ipairs(ask.replacing) do
        local key, id = new.unique_key, new.id
        if not there[id] and not seen[key] then
            seen[key] = true
            if holder(key) ~= id then changes[#changes + 1] = replacement(new, holder(key)) end
        end
    end
    return changes
end

local replaced = find_replaced()

-- The jobs that the call adds, because neither id nor key is another job's; how many by queue, and whether any waits
-- for its time.
local added, added_to, is_put_off = {}, {}, false
for _, job in ipairs(ask.jobs) do
    local id, queue, key = job.id, job.queue, job.unique_key
    if not there[id] and (not key or holder(key) == id) then
        there[id] = true
        added[#added + 1] = job
        added_to[queue] = (added_to[queue] or 0) + 1
        is_put_off = is_put_off or (job.at or now + job.delay) > now
        -- The order of claims is made of three digits.
        if math.abs(job.priority) > 499 then
            return redis.error_reply('REFUSED priority ' .. job.priority .. ' is out of range')
        end
    end
end

local full = {}
for _, queue in ipairs(ask.queues) do
    local most = added_to[queue] and tonumber(redis.call('HGET', prefix .. 'queue:' .. queue, 'max_length'))
    if most and queue_length(queue) + added_to[queue] > most then full[#full + 1] = {queue, most} end
end
if #full > 0 then return {'full', full} end

-- A parent is one that is there, or one of the call's jobs; if that is not stored because of its unique key, the job that
-- holds the key. Gives its id, or nothing.
local function parent_of(edge)
    if there[edge.parent] then return edge.parent end
    return edge.parent_key and holder(edge.parent_key)
end

-- The edges of the jobs that the call adds, by child; nothing is written yet. A second result is what is missing.
local function new_edges()
    local edges, unknown = {}, {}
    for _, edge in ipairs(ask.edges) do
        if not there[edge.parent] and not edge.parent_key then unknown[#unknown + 1] = edge.parent end
    end
    for index, seq in ipairs(read_all('HMGET', KEY.ids, unknown)) do there[unknown[index]] = there[unknown[index]] or seq end
    for _, edge in ipairs(ask.edges) do
        local parent = parent_of(edge)
        if not parent then return {}, {{edge.child, edge.parent}} end
        if there[edge.child] == true then
            local list = gathered(edges, edge.child)
            list[#list + 1] = {parent, edge.policy}
        end
    end
    return edges, {}
end

local edges, missing = new_edges()
if #missing > 0 then return {'missing', missing} end

-- A group takes more members while its callback waits for one. A member that is here already was added by an earlier call.
local function closed_group()
    for _, further in ipairs(ask.added) do
        local callback = redis.call('HGET', KEY.ids, further.callback)
        local watched = callback and redis.call('HGET', EDGES.watch_key(callback), 'member')
        local is_open = watched and EDGES.waiting_child(callback)
            and redis.call('SISMEMBER', EDGES.awaits_key(callback), watched) == 1
        local is_new = not there[further.member] or there[further.member] == true
        if not is_open and is_new then return further.callback end
    end
end

local closed = closed_group()
if closed then return {'closed', {{closed}}} end

-- Refused where another program has written: nothing may be stored that could not be found.
for queue in pairs(added_to) do redis.call('ZCARD', pending_key(queue)) end
for _, change in ipairs(replaced) do
    redis.call('ZCARD', pending_key(change.queue))
    is_put_off = is_put_off or change.to ~= change.from
end
if is_put_off then redis.call('ZCARD', KEY.due) end
for _, named in ipairs(takers) do
    if named.cached then redis.call('ZCARD', CACHE.entries(CACHE.task(named.unique_key))) end
end

-- From here on the call writes.
local last = #added > 0 and take_seqs(#added) - #added
for _, key in ipairs(stale_keys) do
    CACHE.remove(key)
    redis.call('DEL', unique_key(key))
end
for _, named in ipairs(takers) do
    hold_key(named.unique_key, named.id, named.until, named.window and now + named.window, named.cached)
    if named.cached then redis.call('SADD', KEY.caches, CACHE.task(named.unique_key)) end
end
local states = store_jobs(added, last)

-- Writes the edges of one child, rows (id, policy) as parent. One whose parent has ended counts at once.
local function tie(child, list)
    local ids, open, is_doomed, policy = {}, {}, false, nil
    local own = redis.call('HGET', KEY.ids, child)
    for index, parent in ipairs(list) do ids[index] = parent.id end
    local seqs = read_all('HMGET', KEY.ids, ids)
    for index, parent in ipairs(list) do
        local seq = seqs[index]
        policy = parent.policy
        -- One whose body is gone has not completed.
        local state = states[parent.id] or redis.call('HGET', job_key(seq), 'state') or 'cancelled'
        local is_open = not EDGES.FINAL[state] or (state ~= 'completed' and parent.policy == 'wait')
        if is_open then open[#open + 1] = seq end
        is_doomed = is_doomed or (EDGES.FINAL[state] and state ~= 'completed' and parent.policy == 'cancel')
        local stands = not is_open and EDGES.SETTLED or EDGES.FINAL[state] and EDGES.WAITS or EDGES.OPEN
        redis.call('ZADD', EDGES.children_key(seq), stands, own)
    end
    redis.call('HSET', job_key(own), 'on_parent_failure', policy)
    in_portions(seqs, function(...)
        redis.call('RPUSH', EDGES.parents_key(own), ...)
        redis.call('SADD', KEY.edges, ...)
    end)
    redis.call('SADD', KEY.edges, own)
    in_portions(open, function(...)
        redis.call('SADD', EDGES.awaits_key(own), ...)
        redis.call('SADD', KEY.awaited, ...)
    end)
    redis.call('ZADD', KEY.gates, 0, EDGES.GATE)
    local is_free = #open == 0 and redis.call('EXISTS', EDGES.awaits_key(own)) == 0
    if is_doomed then EDGES.cancel(own) elseif is_free then EDGES.release(own) end
    if is_free or is_doomed then states[child] = redis.call('HGET', job_key(own), 'state') end
end

-- Groups, and those whose callback gets more members. One name, for scripts may have 200 of them at most.
local GROUPS = {of = {}, policy = {}}

-- The seq of a member; one that was not stored because of its unique key is the job that holds it.
function GROUPS.seq_of(id, key)
    local found = redis.call('HGET', KEY.ids, id)
    if not found and key and holder(key) then found = redis.call('HGET', KEY.ids, holder(key)) end
    return found
end

-- Writes members behind those that a group has.
function GROUPS.add(callback, members)
    local place = redis.call('LLEN', EDGES.members_key(callback))
    for _, member in ipairs(members) do
        local groups = redis.call('HGET', job_key(member), 'groups')
        local own = callback .. ':' .. written(place)
        redis.call('HSET', job_key(member), 'groups', groups and groups .. ' ' .. own or own)
        place = place + 1
    end
    in_portions(members, function(...)
        redis.call('RPUSH', EDGES.members_key(callback), ...)
        redis.call('SADD', KEY.edges, ...)
    end)
end

-- Writes a group, of which `of` has rows (id, key) as own; its callback waits for the first member that it has to wait for.
function GROUPS.form(id, policy)
    local callback, members = redis.call('HGET', KEY.ids, id), {}
    for _, own in ipairs(GROUPS.of[id]) do members[#members + 1] = GROUPS.seq_of(own.id, own.key) end
    redis.call('HSET', job_key(callback), 'on_parent_failure', policy)
    redis.call('SADD', KEY.edges, callback)
    redis.call('ZADD', KEY.gates, 0, EDGES.GATE)
    GROUPS.add(callback, members)
    local place, member = EDGES.next_member(callback, -1, policy)
    if place then EDGES.watch(callback, place, member) elseif not edges[id] then EDGES.release(callback) end
    states[id] = redis.call('HGET', job_key(callback), 'state')
end

for _, member in ipairs(ask.members) do
    local list = gathered(GROUPS.of, member.callback)
    list[#list + 1] = {member.member, member.member_key or false}
end
for _, group in ipairs(ask.groups) do GROUPS.policy[group.callback] = group.policy end

-- Those that are members already are not added again.
function GROUPS.add_further()
    local further_of = {}
    for _, further in ipairs(ask.added) do
        local callback = redis.call('HGET', KEY.ids, further.callback)
        local member = GROUPS.seq_of(further.member, further.member_key)
        local groups = redis.call('HGET', job_key(member), 'groups') or ''
        if not string.find(' ' .. groups, ' ' .. callback .. ':', 1, true) then
            local list = gathered(further_of, callback)
            list[#list + 1] = member
        end
    end
    for callback, members in pairs(further_of) do GROUPS.add(callback, members) end
end

local function replace(change)
    local seq, long = change.seq, {}
    local field = text_field('payload', seq, change.text, long)
    redis.call('HSET', job_key(seq), 'payload', field, 'state', change.to, 'run_at', written(change.run_at))
    if change.key then
        redis.call('HSET', job_key(seq), 'concurrency_key', change.key)
    elseif change.had_key then
        redis.call('HDEL', job_key(seq), 'concurrency_key')
    end
    if change.rate_key then
        redis.call('HSET', job_key(seq), 'rate_key', change.rate_key)
    elseif change.had_rate_key then
        redis.call('HDEL', job_key(seq), 'rate_key')
    end
    write_long(long)
    if change.was_long and field ~= '' then redis.call('UNLINK', text_key('payload', seq)) end
    if change.from == 'blocked' then redis.call('HDEL', job_key(seq), 'gate', 'reason') end
    if change.to == 'scheduled' or change.to ~= change.from then
        displace(change.from, change.queue, seq, change.priority, change.suspect, change.gate)
        place(change.to, change.queue, seq, change.priority, written(change.run_at), change.suspect)
    end
    if change.expires then move_expiry(seq, change.expires, change.run_at) end
    note_again(seq, 'replaced')
end

for _, change in ipairs(replaced) do replace(change) end
if last then add_run_to_index('all', last + 1, last + #added) end
-- In the order of the call: a child that is cancelled at once takes along what comes behind it.
for _, job in ipairs(added) do
    if GROUPS.of[job.id] then GROUPS.form(job.id, GROUPS.policy[job.id]) end
    if edges[job.id] then tie(job.id, edges[job.id]) end
end
GROUPS.add_further()
local begun = settle()
EDGES.settle()

for _, change in ipairs(replaced) do ask.queues[#ask.queues + 1] = change.queue end
tell_workers(ask.queues, begun)
if #ask.named == 0 then return {} end

-- The state of a job by its id, also of one that was there before.
local function state_of(id)
    if states[id] then return states[id] end
    local seq = redis.call('HGET', KEY.ids, id)
    return seq and redis.call('HGET', job_key(seq), 'state')
end

local found = {}
for _, named in ipairs(ask.named) do
    local id, key = named.id, named.unique_key
    if not there[id] then id = key and holders[key] end
    local state = id and state_of(id)
    if state then found[#found + 1] = {named.index, id, state} end
end
local changed = {}
for index, change in ipairs(replaced) do changed[index] = {change.source, change.to} end
return {'known', known, 'found', found, 'replaced', changed}
