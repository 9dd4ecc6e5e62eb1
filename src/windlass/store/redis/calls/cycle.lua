-- Ends runs, notes which have begun, and takes the next jobs of each queue, by priority and then by age.
-- KEYS counts, due
-- asks worker, lease, token
--      completed: rows (seq, fence, ran_for, result) of runs that returned, which is most of them
--      endings: rows (seq, fence, state, reason, charge, crash, rescue, delay, ran_for, result, errors) of all others
--      keys: rows (key, seq, fence), only of endings whose job has a unique key
--      marks: rows (seq, fence, milliseconds ago)
--      rooms: rows (queue, room)
-- gives completed, ended: one row each (how many of them were accepted), if there are any
--       marked: rows (seq) of the marks that still run under their fence, if there are marks
--       claimed: rows as Claimed: what calls with this token took; one that is repeated without rooms finds it again
-- with portions, drain, places, finished, lease, claimed
local results, no_results = {}, {}

-- Only the owner whose fence the job still carries may end it, and only while it runs: removing the field is the proof.
local function finish(ending)
    local seq, fence, state, reason = written(ending[1]), written(ending[2]), ending[3], ending[4]
    local key = job_key(seq)
    local job = redis.call(
        'HMGET', key, 'lease', 'queue', 'priority', 'cancel_requested_at', 'started_at', 'attempt', 'run_at',
        'unknown_at')
    local lease, queue = job[1], job[2]
    if not lease or redis.call('HDEL', held_key(lease), seq .. ':' .. fence) == 0 then return 0 end

    -- A cancel request turns every ending but completed into cancelled.
    if job[4] and state ~= 'completed' then state, reason = 'cancelled', nil end
    local at = job[7]
    local fields = {'state', state, 'attempt', written((job[6] or 0) + ending[5])}
    local function set(name, value)
        fields[#fields + 1] = name
        fields[#fields + 1] = value
    end
    if ending[8] then
        at = written(now + ending[8])
        set('run_at', at)
    end
    if reason then set('reason', reason) end
    if ending[9] and not job[5] then set('started_at', written(now - ending[9])) end
    if FINISHED[state] then
        at = stamp
        set('finished_at', stamp)
    end
    -- How long it has been unknown to every worker that met it; any other ending starts that clock anew.
    if ending[4] == 'unknown_task' and not job[8] then set('unknown_at', stamp) end

    redis.call('HDEL', key, 'lease', 'reason')
    if job[8] and ending[4] ~= 'unknown_task' then redis.call('HDEL', key, 'unknown_at') end
    redis.call('HSET', key, unpack(fields))
    if ending[6] ~= 0 then redis.call('HINCRBY', key, 'crashes', ending[6]) end
    if ending[7] ~= 0 then redis.call('HINCRBY', key, 'rescues', ending[7]) end
    if ending[10] then
        results[#results + 1] = text_key('result', seq)
        results[#results + 1] = ending[10]
    else
        no_results[#no_results + 1] = text_key('result', seq)
    end
    if ending[11] then redis.call('SET', text_key('errors', seq), ending[11]) end
    count('running', queue, -1)
    place(state, queue, seq, tonumber(job[3]) or 0, at)
    return 1
end

-- Says that user code has begun; the attempt itself is charged by the ending or by rescue.
local function mark(seq, fence, ago)
    local key, field = job_key(written(seq)), written(seq) .. ':' .. written(fence)
    local lease = redis.call('HGET', key, 'lease')
    if not lease or redis.call('HEXISTS', held_key(lease), field) == 0 then return false end
    redis.call('HSETNX', key, 'started_at', written(now - ago))
    return true
end

local function is_paused(queue) return redis.call('HGET', prefix .. 'queue:' .. queue, 'paused_at') end

local function take(queue, room, claimed)
    local popped, held = redis.call('ZPOPMIN', pending_key(queue), room), {}
    for index = 1, #popped, 2 do
        local seq = string.match(popped[index], '^...0*(%d+)$')
        local job = read_job(seq)
        local fence = written((job[9] or 0) + 1)
        redis.call(
            'HSET', job_key(seq), 'state', 'running', 'fence', fence, 'lease', ask.lease, 'worker', ask.worker,
            'claimed_at', stamp)
        if job[15] then redis.call('HDEL', job_key(seq), 'started_at') end
        held[#held + 1] = seq .. ':' .. fence
        held[#held + 1] = ask.token
        claimed[#claimed + 1] = {seq, job, fence}
    end
    in_portions(held, function(...) redis.call('HSET', held_key(ask.lease), ...) end)
    count('pending', queue, -#held / 2)
    count('running', queue, #held / 2)
end

local wrong = refusal(ask.endings)
if wrong then return wrong end

local answer = {}
local function give(name, rows)
    answer[#answer + 1] = name
    answer[#answer + 1] = rows
end

if #ask.completed > 0 then
    local completed = 0
    for _, run in ipairs(ask.completed) do
        completed = completed + finish({run[1], run[2], 'completed', nil, 1, 0, 0, nil, run[3], run[4]})
    end
    give('completed', {{completed}})
end
if #ask.endings > 0 then
    local ended = 0
    for _, ending in ipairs(ask.endings) do ended = ended + finish(ending) end
    give('ended', {{ended}})
end
in_portions(results, function(...) redis.call('MSET', ...) end)
in_portions(no_results, function(...) redis.call('UNLINK', ...) end)
settle()
release_keys(ask.keys, 0)

if #ask.marks > 0 then
    local marked = {}
    for _, row in ipairs(ask.marks) do
        if mark(row[1], row[2], row[3]) then marked[#marked + 1] = {row[1]} end
    end
    give('marked', marked)
end

local claimed = {}
local held = redis.call('HGETALL', held_key(ask.lease))
for index = 1, #held, 2 do
    if held[index + 1] == ask.token then
        local seq, fence = string.match(held[index], '^(%d+):(%d+)$')
        claimed[#claimed + 1] = {seq, read_job(seq), fence}
    end
end
if #ask.rooms > 0 and is_open(ask.lease) and is_in_time(ask.lease) and not is_paused('*') then
    for _, row in ipairs(ask.rooms) do
        if row[2] > 0 and not is_paused(row[1]) then take(row[1], row[2], claimed) end
    end
    settle()
end
give('claimed', claimed_rows(claimed))
return answer
