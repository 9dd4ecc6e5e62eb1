-- Ends runs, notes which have begun, and takes the next jobs of each queue, by priority and then by when they
-- became ready.
-- KEYS counts, due, ids, lease_from, lease_until, waiting, cooldowns, expiring, gates, opening, rated, awaited, unsettled
-- asks worker, lease, token
--      completed: rows (seq, fence, ran_for, result) as run, of runs that returned, which is most of them
--      endings: rows (Ending) as ending, of all others
--      keys: rows (key, seq, fence), only of endings whose job has a unique key
--      marks: rows (StartMark) as mark
--      requests: rows (queue, number) as request
--      takes_suspect: 1 if at most one of what it takes may be a suspect, 0 if none may
-- gives completed, ended: one row each (how many of them were accepted), if there are any
--       marked: rows (seq) of the marks that still run under their fence, if there are marks
--       claimed: rows (Claimed): what it took; a call that is repeated with the same token and no requests finds what
--         the first one took
--       limits: rows (LimitState) of the queues that this call touches, as they are now, if they have any
--       blocked: rows (queue, state, reason) of jobs whose concurrency key others hold, or that have no token, if any
--       vanished, overwritten: see there in shared/, if there are any
-- with chunks, texts, allow_oom, index, state_sets, unique, finished, lease, concurrency, attempts, vanished, gates, claim, edges
-- The leases of runs that were ended here, and the queues that this call is about.
local shrunk_leases, touched, long_results = {}, {}, {}

-- The lease of a run is known from its job alone. If that is gone, it may be any.
local function drop_run_anywhere(seq, fence)
    if drop_run(ask.lease, seq, fence) then return end
    for _, lease in ipairs(redis.call('ZRANGE', KEY.lease_until, 0, -1)) do
        if drop_run(lease, seq, fence) then return end
    end
end

-- Takes a run away from its lease. Only the owner whose fence the job still carries may end it, and only while it runs:
-- removing the field is the proof. What is known of the job, or nothing if the run has ended already.
local function end_run(key, seq, fence)
    local job = try('HMGET', key, {
        job: lease, queue, priority, cancel_requested_at, started_at, attempt, run_at, unknown_at, reason, result,
        crashes, rescues, concurrency_key}) or {}
    local lease = job.lease
    if not lease then return drop_run_anywhere(seq, fence) end
    if redis.call('HDEL', held_key(lease), seq .. ':' .. fence) == 0 then return end
    shrunk_leases[lease] = true
    if job.cancel_requested_at then redis.call('SREM', cancels_key(lease), seq .. ':' .. fence) end
    return job
end

-- State and reason of a job after an ending. A cancel request turns every ending but completed into cancelled.
local function state_after(ending, job, suspect)
    local state = ending.state
    if job.cancel_requested_at and state ~= 'completed' then return 'cancelled' end
    if state == 'pending' then state = ready(job.queue, suspect) end
    return state, ending.reason
end

local function set(fields, name, value)
    fields[#fields + 1] = name
    fields[#fields + 1] = value
end

-- The fields of a job that an ending sets, and the instant by which the job is placed; what it takes back is removed.
local function fields_after(ending, job, key, state, reason)
    local at = tonumber(job.run_at) and job.run_at or stamp
    local fields = {'state', state, 'lease', '', 'attempt', written((job.attempt or 0) + ending.charge)}
    if ending.delay then
        at = written(now + ending.delay)
        set(fields, 'run_at', at)
    end
    if state == 'failed' and ending.cause then set(fields, 'cause', ending.cause) end
    if reason then set(fields, 'reason', reason) elseif job.reason then redis.call('HDEL', key, 'reason') end
    if ending.ran_for and not job.started_at then set(fields, 'started_at', written(now - ending.ran_for)) end
    if FINISHED[state] then
        at = stamp
        set(fields, 'finished_at', stamp)
    end
    -- How long it has been unknown to every worker that met it; any other ending starts that clock anew.
    if ending.reason ~= 'unknown_task' and ending.reason ~= 'no_key' then
        if job.unknown_at then redis.call('HDEL', key, 'unknown_at') end
    elseif not job.unknown_at then
        set(fields, 'unknown_at', stamp)
    end
    return fields, at
end

-- Keeps an attempt that does not complete its job. A claim that was released before its run began is none.
local function keep_unfinished(seq, ending, job, state)
    if ending.state == 'completed' then return end
    local has_started = job.started_at or ending.ran_for
    if not FINISHED[state] then settle_expiry(ending.seq, has_started) end
    if not has_started then return end
    local is_cancelled = job.cancel_requested_at
    keep_attempt(seq, {
        fence = ending.fence, number = run_number(job.lease, job.attempt),
        started_at = job.started_at or now - ending.ran_for, outcome = is_cancelled and 'cancelled' or ending.state,
        reason = not is_cancelled and ending.reason, delay = not is_cancelled and ending.delay,
    })
end

-- Ends one run of any kind; 1 if it was accepted, else 0.
local function finish(ending)
    local seq = written(ending.seq)
    local key = job_key(seq)
    local job = end_run(key, seq, written(ending.fence))
    if not job then return 0 end
    local suspect = is_suspect(
        (tonumber(job.crashes) or 0) + ending.crash, (tonumber(job.rescues) or 0) + ending.rescue)
    local state, reason = state_after(ending, job, suspect)
    local fields, at = fields_after(ending, job, key, state, reason)
    keep_unfinished(seq, ending, job, state)
    if job.result then remove_text('result', seq) end
    if ending.result then add_text('result', seq, ending.result, fields, long_results) end

    redis.call('HSET', key, unpack(fields))
    if ending.crash ~= 0 then redis.call('HINCRBY', key, 'crashes', ending.crash) end
    if ending.rescue ~= 0 then redis.call('HINCRBY', key, 'rescues', ending.rescue) end
    if ending.errors then keep_errors(seq, ending.errors) end
    count('running', job.queue, -1)
    touched[job.queue] = true
    local gate
    state, gate = GATES.returned(state, seq, job.concurrency_key)
    place(state, job.queue, seq, tonumber(job.priority) or 0, at, suspect, gate)
    if is_manual(job.lease) then remove_manual(job.lease) end
    if job.concurrency_key then free_concurrency_key(job.concurrency_key, seq) end
    return 1
end

-- For numbers that come again and again: all first runs of an epoch have the same fence, and most take no time.
local known = {}
local function written_once(number)
    local text = known[number]
    if not text then
        text = written(number)
        known[number] = text
    end
    return text
end

-- The seqs of runs, and their fields in what a lease holds.
local function held_fields(runs)
    local seqs, fields = {}, {}
    for index, run in ipairs(runs) do
        seqs[index] = written(run.seq)
        fields[index] = seqs[index] .. ':' .. written_once(run.fence)
    end
    return seqs, fields
end

-- A job that every field was new to, also those that each job has: nothing was there, or another program's value.
local function drop_completed(seq, queue)
    redis.call('DEL', job_key(seq))
    count('running', queue, -1)
    add_vanished(seq, queue, 'running')
end

-- Removes runs from the caller's lease, by their fields.
local function remove_own_runs(removed)
    if #removed > 0 then shrunk_leases[ask.lease] = true end
    local has_cancels = redis.call('EXISTS', cancels_key(ask.lease)) == 1
    in_portions(removed, function(...)
        redis.call('HDEL', held_key(ask.lease), ...)
        if has_cancels then redis.call('SREM', cancels_key(ask.lease), ...) end
    end)
end

-- Ends runs that returned; how many were accepted. Most of them are first runs under the caller's own lease that were
-- over before they were marked: then what the lease holds of them is all that has to be known, and one command takes
-- them away together.
local function complete(runs)
    local seqs, fields = held_fields(runs)
    local own, accepted, removed, by_queue = read_all('HMGET', held_key(ask.lease), fields), 0, {}, {}
    for index, run in ipairs(runs) do
        local seq, field, queue, plain = seqs[index], fields[index], first_run(own[index])
        if queue and run.ran_for and not removed[field] then
            local ended = {
                'state', 'completed', 'lease', '', 'attempt', '1', 'started_at', written_once(now - run.ran_for),
                'finished_at', stamp,
            }
            if run.result then add_text('result', seq, run.result, ended, long_results) end
            if (try('HSET', job_key(seq), unpack(ended)) or #ended) < #ended / 2 then
                local members = gathered(by_queue, queue)
                members[#members + 1] = stamp
                -- A result that has a key of its own has an empty field, which is the last.
                members[#members + 1] = plain ~= '' and ended[#ended] ~= '' and plain_member(seq) or padded(seq)
            else
                drop_completed(seq, queue)
                accepted = accepted - 1
            end
            removed[#removed + 1] = field
            removed[field] = true
        else
            accepted = accepted + finish({
                ending; seq = run.seq; fence = run.fence; state = 'completed'; charge = 1; crash = 0; rescue = 0;
                ran_for = run.ran_for; result = run.result})
        end
    end
    for queue, members in pairs(by_queue) do
        count('running', queue, -#members / 2)
        touched[queue] = true
        place_completed(queue, members)
    end
    remove_own_runs(removed)
    return accepted + #removed
end

-- Says that user code has begun; the attempt itself is charged by the ending or by rescue.
local function mark_start(seq, fence, ago)
    local lease = lease_of(seq, fence)
    if not lease then
        if not try('HGET', job_key(written(seq)), 'id') then drop_run_anywhere(written(seq), written(fence)) end
        return false
    end
    redis.call('HSETNX', job_key(written(seq)), 'started_at', written(now - ago))
    look_at_ending(lease, held_field(seq, fence))
    return true
end

local claimed, long = {}, {}

local function claim(queue, number, is_for_suspect)
    local held = {}
    local plain, first = held_first_run(ask.token, queue, true), held_first_run(ask.token, queue, false)
    local later = held_value(ask.token, queue)
    local function own(seq, fence, row, is_new)
        redis.call(
            'HSET', job_key(seq), 'state', 'running', 'fence', fence, 'lease', ask.lease, 'worker', ask.worker,
            'claimed_at', stamp)
        if not is_new then redis.call('HDEL', job_key(seq), 'started_at') end
        held[#held + 1] = seq .. ':' .. fence
        local key = key_of(row)
        held[#held + 1] = key and held_with_key(ask.token, queue, key) or not is_new and later
            or is_plain(row) and plain or first
        claimed[#claimed + 1] = row
    end
    if is_for_suspect then take_suspect(queue, long, own) else take(queue, number, long, own) end
    in_portions(held, function(...) redis.call('HSET', held_key(ask.lease), ...) end)
    RATES.spend(queue, #held / 2)
    -- The next claim of this call asks how much room is left.
    if is_limited(queue) then settle(try) end
end

-- What the first try of a call took, which is repeated without requests: others take no look at all that is held.
local function find_claimed()
    local held = redis.call('HGETALL', held_key(ask.lease))
    for index = 1, #held, 2 do
        if held_token(held[index + 1]) == ask.token then
            local seq, fence = string.match(held[index], '^(%d+):(%d+)$')
            local row = read_claimed(seq, false, 0, tonumber(fence), long)
            if row then claimed[#claimed + 1] = row else drop_run(ask.lease, seq, fence) end
        end
    end
end

-- Takes the first suspect of a queue that is asked for jobs, and that is not blocked.
local function claim_suspect()
    for _, request in ipairs(ask.requests) do
        local queue, number, held = request.queue, request.number, #claimed
        local suspect = number > 0 and first_of(suspects_key(queue))
        while suspect and not is_shut(QUEUE_GATES, queue) and not is_shut(SUSPECT_GATES, queue, suspect) do
            claim(queue, 1, true)
            if #claimed > held then
                request.number = number - 1
                return
            end
            suspect = #blocked < BLOCKED_AT_ONCE and first_of(suspects_key(queue))
        end
    end
end

do
    local wrong = refusal(ask.endings)
    if wrong then return wrong end
end

local answer = {}
local function give(name, rows)
    answer[#answer + 1] = name
    answer[#answer + 1] = rows
end

if #ask.completed > 0 then give('completed', {{complete(ask.completed)}}) end
if #ask.endings > 0 then
    local ended = 0
    for _, ending in ipairs(ask.endings) do ended = ended + finish(ending) end
    give('ended', {{ended}})
end
for lease in pairs(shrunk_leases) do forget_if_empty(lease) end
write_long(long_results)
settle(try)
settle_keys(try)
EDGES.settle(try, ask.completed)
release_keys(ask.keys, function(fence) return fence end)

if #ask.marks > 0 then
    local marked = {}
    for _, mark in ipairs(ask.marks) do
        if mark_start(mark.seq, mark.fence, mark.ago) then marked[#marked + 1] = {mark.seq} end
    end
    give('marked', marked)
end

if #ask.requests == 0 then
    find_claimed()
elseif is_live(ask.lease) and not is_shut(COMMON_GATES) then
    if ask.takes_suspect == 1 then claim_suspect() end
    for _, request in ipairs(ask.requests) do
        if request.number > 0 and not is_shut(QUEUE_GATES, request.queue) then
            local number = room(request.queue, request.number)
            if number > 0 then claim(request.queue, number) end
        end
    end
    settle(try)
    settle_keys(try)
end
if #blocked > 0 then give('blocked', blocked) end
if #vanished > 0 then
    settle(try)
    settle_keys(try)
    give('vanished', vanished)
end
for _, request in ipairs(ask.requests) do touched[request.queue] = true end
do
    local limits = limits_of(touched)
    if #limits > 0 then give('limits', limits) end
end
if #ask.requests > 0 then
    local asked = {}
    for _, request in ipairs(ask.requests) do asked[request.queue] = true end
    local rates = RATES.states(asked)
    if #rates > 0 then give('rates', rates) end
end
if #overwritten > 0 then give('overwritten', overwritten) end
give('claimed', finish_rows(claimed, long))
return answer
