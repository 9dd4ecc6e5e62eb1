-- Takes one step with each schedule, by the leader of this term. Everything is judged before anything is written.
-- KEYS ids, seq, queues, counts, due, waiting, expiring, schedules_due
-- asks duty, holder, term, kept, queues
--      steps: rows (FireStep) as step; jobs: rows (NewJob) as job; keys: rows (id, unique_key, until, window) as keyed
-- gives stale: a row, and nothing else: it leads no more
--       taken: rows (name, verdict) of the steps whose schedules had the revision that the leader has seen
-- with chunks, texts, index, state_sets, unique, new_jobs, leader, schedules
local leader = read_leader(ask.duty)
if leader.holder ~= ask.holder or leader.term ~= ask.term or not leader.is_in_time then return {'stale', {{1}}} end

local job_of, key_of = {}, {}
for _, job in ipairs(ask.jobs) do job_of[job.id] = job end
for _, keyed in ipairs(ask.keys) do key_of[keyed.id] = keyed end

local FINISHED = {completed = true, failed = true, cancelled = true}
local function is_alive(id)
    local seq = id and redis.call('HGET', KEY.ids, id)
    local state = seq and redis.call('HGET', job_key(seq), 'state')
    return state and not FINISHED[state]
end

-- Keys that the call's own jobs take, and how many jobs it adds to each queue.
local taken_keys, added_to, stale_keys = {}, {}, {}

local function is_key_held(key)
    if taken_keys[key] then return true end
    local id, is_left = holder_of(key)
    if is_left and not id then stale_keys[#stale_keys + 1] = unique_key(key) end
    return id
end

local function is_full(queue)
    local most = tonumber(redis.call('HGET', prefix .. 'queue:' .. queue, 'max_length'))
    return most and queue_length(queue) + (added_to[queue] or 0) >= most
end

local function is_in_ledger(name, slot)
    return redis.call('ZCOUNT', fires_key(name), written(slot), written(slot)) > 0
end

-- What becomes of a step. While one slot is kept back, a later one does not get ahead of it.
-- row (revision, last_job, held_at, held_for, fires) as schedule
local function judge(step, schedule)
    local was_held, is_buffering = step.was_held == 1, schedule.held_for == 'overlap'
    if step.slot and not was_held and is_in_ledger(step.name, step.slot) then return 'repeated' end
    if not step.job then return 'noted' end
    if step.overlap ~= 'allow'
        and (is_alive(schedule.last_job) or (step.overlap == 'buffer' and is_buffering and not was_held)) then
        if step.overlap == 'skip' then return 'overlap' end
        if was_held then return 'stays' end
        return is_buffering and 'overlap' or 'held'
    end
    local job = job_of[step.job]
    if job.unique_key and is_key_held(job.unique_key) then return 'unique' end
    if is_full(job.queue) then return 'queue_full' end
    return 'made'
end

local taken, added, judged = {}, {}, {} -- judged: rows (step, schedule, verdict) as one
for _, step in ipairs(ask.steps) do
    local schedule = redis.call('HMGET', schedule_key(step.name), {
        schedule: revision, last_job, held_at, held_for, fires})
    if tonumber(schedule.revision) == step.revision then
        local verdict = judge(step, schedule)
        taken[#taken + 1] = {step.name, verdict}
        judged[#judged + 1] = {step, schedule, verdict}
        if verdict == 'made' then
            local job = job_of[step.job]
            -- The order of claims is made of three digits.
            if math.abs(job.priority) > 499 then
                return redis.error_reply('REFUSED priority ' .. job.priority .. ' is out of range')
            end
            added[#added + 1] = job
            added_to[job.queue] = (added_to[job.queue] or 0) + 1
            if job.unique_key then taken_keys[job.unique_key] = true end
        end
    end
end
-- Refused where another program has written: nothing may be stored that could not be found.
for queue in pairs(added_to) do redis.call('ZCARD', pending_key(queue)) end
redis.call('ZCARD', KEY.due)

-- From here on the call writes.
if #added > 0 then
    local last = take_seqs(#added) - #added
    in_portions(stale_keys, function(...) redis.call('DEL', ...) end)
    for _, job in ipairs(added) do
        local keyed = key_of[job.id]
        if keyed then hold_key(keyed.unique_key, job.id, keyed.until, keyed.window and now + keyed.window) end
    end
    store_jobs(added, last)
    add_run_to_index('all', last + 1, last + #added)
    tell_workers(ask.queues, settle())
end

-- A row of FireRecord as JSON text: numbers are written whole, where cjson would round long ones.
local function json(value) return value and cjson.encode(value) or 'null' end
local function note_fire(name, planned_at, outcome, reason, job, last_at, count)
    local key, score = fires_key(name), written(planned_at)
    redis.call('ZREMRANGEBYSCORE', key, score, score)
    redis.call('ZADD', key, score, string.format(
        '[%s,%s,%s,"%s",%s,%s,%s,%s]', json(name), score, stamp, outcome, json(reason), json(job),
        last_at and written(last_at) or 'null', written(count)))
    redis.call('ZREMRANGEBYRANK', key, 0, -ask.kept - 1)
end

-- What the ledger has: row (outcome, reason, job) as entry.
local function entry_of(step, verdict)
    if verdict == 'made' then return {step.outcome, nil, step.job} end
    if verdict == 'noted' then return {step.outcome, step.reason} end
    if verdict == 'held' then return {'buffered', 'overlap'} end
    return {'skipped', verdict}
end

-- The slot that is kept back afterwards: row (at, why) as held. One that is kept back for another reason than overlap goes
-- with the next slot.
local function held_after(step, schedule, verdict)
    if verdict == 'held' then return {written(step.slot), 'overlap'} end
    if verdict == 'noted' and step.outcome == 'error' then return {written(step.slot), 'error'} end
    local stays = verdict == 'stays' or (step.was_held ~= 1 and schedule.held_for == 'overlap')
    return stays and {schedule.held_at, schedule.held_for} or {}
end

local function set_or_clear(key, field, value)
    if value then redis.call('HSET', key, field, value) else redis.call('HDEL', key, field) end
end

for _, one in ipairs(judged) do
    local step, schedule, verdict = one.step, one.schedule, one.verdict
    local name, key, rows = step.name, schedule_key(step.name), 0
    if step.missed > 0 then
        rows = 1
        if not is_in_ledger(name, step.missed_from) then
            note_fire(name, step.missed_from, 'missed', nil, nil, step.missed_to, step.missed)
        end
    end
    if step.slot and verdict ~= 'stays' and verdict ~= 'repeated' then
        local entry = entry_of(step, verdict)
        note_fire(name, step.slot, entry.outcome, entry.reason, entry.job, nil, 1)
        rows = rows + 1
    end
    local held = held_after(step, schedule, verdict)
    local due_at = step.due_at
    if held.at then due_at = math.min(step.again_at, due_at or step.again_at) end
    redis.call(
        'HSET', key, 'revision', written(step.revision + 1), 'planned_at', written(step.planned_at),
        'fires', written((tonumber(schedule.fires) or 0) + rows))
    set_or_clear(key, 'next_at', step.next_at and written(step.next_at))
    set_or_clear(key, 'due_at', due_at and written(due_at))
    set_or_clear(key, 'held_at', held.at)
    set_or_clear(key, 'held_for', held.why)
    if verdict == 'made' then redis.call('HSET', key, 'last_job', step.job) end
    set_due(name, due_at)
end
return {'taken', taken}
