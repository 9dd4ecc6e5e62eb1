-- Concurrency keys: of the jobs of a task with the same key only so many hold it, which are those that run and those that
-- are to run next; the others are blocked. A key is named by its task and its text, a line each.
-- Needs KEY.gates, state_sets and overwritten.
-- Some in one table: a script may have 200 local names and no more.
local GATES = {freed = {}}
local function holders_key(key) return prefix .. 'holders:' .. key end

-- Of each task: no call changes it.
local most = {}
local function most_holders(key)
    local task = string.match(key, '^[^\n]*')
    if not most[task] then
        local limits = try('HMGET', prefix .. 'key_limit:' .. task, {limits: concurrency, declared}) or {}
        most[task] = tonumber(limits.concurrency) or tonumber(limits.declared) or 1
    end
    return most[task]
end

-- Whether the job holds its key from now on: it is free, or was promised to it.
function GATES.hold(key, seq)
    local holders = holders_key(key)
    if (try('SCARD', holders) or 0) >= most_holders(key) then return try('SISMEMBER', holders, seq) == 1 end
    redis.call('SADD', holders, seq)
    return true
end

-- Makes a job blocked that is pending no longer; its score is its turn.
function GATES.block(key, seq, member, score, reason)
    redis.call('HSET', job_key(seq), 'state', 'blocked', 'reason', reason, 'gate', key)
    redis.call('ZADD', blocked_key(key), score, member)
    redis.call('ZADD', KEY.gates, 0, key)
end

-- The state, and the gate, of a job whose run is over. If it is pending, and others wait for its concurrency key, it is one of
-- them again, so that it goes when it is the first. To be settled before the keys are.
function GATES.returned(state, seq, key)
    if state ~= 'pending' or not key or (try('ZCARD', blocked_key(key)) or 0) == 0 then return state end
    redis.call('HSET', job_key(seq), 'state', 'blocked', 'reason', 'key', 'gate', key)
    return 'blocked', key
end

-- Lets jobs go that wait at a gate, in the order of claims, so many at the most, and adds their seqs to a set; how many. To
-- be settled.
function GATES.let_go(key, room, set)
    local let_go = 0
    while room > 0 do
        local member = (try('ZPOPMIN', blocked_key(key)) or {})[1]
        if not member then
            -- One that was let go here and has not run yet is found by its gate.
            if try('SCARD', holders_key(key)) == 0 then redis.call('ZREM', KEY.gates, key) end
            break
        end
        local seq = pending_seq(member)
        local job = try('HMGET', job_key(seq), {job: state, queue, priority, run_at, crashes, rescues}) or {}
        if job.state == 'blocked' then
            local suspect = is_suspect(job.crashes, job.rescues)
            redis.call('HSET', job_key(seq), 'state', 'pending')
            redis.call('HDEL', job_key(seq), 'reason', 'gate')
            redis.call('SADD', set, seq)
            count('blocked', job.queue, -1)
            place('pending', job.queue, seq, tonumber(job.priority) or 0, job.run_at, suspect)
            room, let_go = room - 1, let_go + 1
        end
    end
    return let_go
end

-- Lets as many of the jobs that wait for a key go as may hold it; how many. To be settled.
local function unblock(key)
    -- Mostly none waits, and none has waited since it was last free.
    if not try('ZSCORE', KEY.gates, key) and try('EXISTS', blocked_key(key)) == 0 then return 0 end
    return GATES.let_go(key, most_holders(key) - (try('SCARD', holders_key(key)) or 0), holders_key(key))
end

-- A job gives its key back, if it holds it. The next jobs of the key go when all that a call does to jobs is written,
-- which may be some of those that wait.
local function free_concurrency_key(key, seq)
    if try('SREM', holders_key(key), seq) == 1 then GATES.freed[key] = true end
end

local function settle_keys(write)
    for key in pairs(GATES.freed) do unblock(key) end
    if next(GATES.freed) then settle(write) end
    GATES.freed = {}
end
