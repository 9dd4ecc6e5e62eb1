-- Ends leases that have expired and takes their jobs away. Until this has run their owners may still renew them, and a
-- lease that was renewed since it was read keeps its jobs. The fence is raised here too, so that the former owner's
-- endings can be distinguished from repetitions of its own.
-- KEYS counts, due, ids, events, lease_from, lease_until, lease_lost, waiting, expiring, gates, awaited, unsettled
-- asks leases; culprits: rows (lease, seq) as culprit, of the job that is held responsible for the loss of the lease,
--      which stays with the lease: the first counts
--      endings: rows (Ending, was_started) as ending; a job that was marked since it was read stays for the next round
--      keys: rows (key, seq, fence); by
-- gives rescued: rows (id, state, worker); vanished, overwritten: see there in shared/
-- with chunks, texts, allow_oom, index, state_sets, unique, finished, lease, concurrency, attempts, expiry, vanished, events, edges
local culprits = {}
for _, culprit in ipairs(ask.culprits) do culprits[culprit.lease] = culprit.seq end

local function lose(lease)
    if is_live(lease) then return end
    if culprits[lease] and try('EXISTS', lease_key(lease)) == 1 then
        redis.call('HSETNX', lease_key(lease), 'blamed', written(culprits[lease]))
    end
    if not is_open(lease) then return end
    redis.call('HSET', lease_key(lease), 'state', 'lost')
    redis.call('ZREM', KEY.lease_from, lease)
    redis.call('ZADD', KEY.lease_until, '-inf', lease)
    redis.call('ZADD', KEY.lease_lost, redis.call('HGET', lease_key(lease), 'renewed_at'), lease)
end

-- Only what this call freed is reported: another rescuer's jobs, or those of a new owner, carry a raised fence as well.
local rescued = {}

-- A run whose job's body is gone: nothing can be put back, but it must not be looked for again and again.
local function let_go(seq, fence)
    for _, lease in ipairs(ask.leases) do
        if not is_open(lease) and drop_run(lease, seq, fence) and is_manual(lease) then
            redis.call('ZREM', KEY.lease_lost, lease)
        end
    end
end

-- The job that is held responsible for the loss, as a part of the event.
local function culprit_json(lease)
    local seq = try('HGET', lease_key(lease), 'blamed')
    local id = seq and try('HGET', job_key(seq), 'id')
    return id and ',"blamed":' .. json(id) or ''
end

local function free(ending)
    local seq, fence, state, reason = ending.seq, ending.fence, ending.state, ending.reason
    local key = job_key(written(seq))
    local job = try('HMGET', key, {
        job: lease, queue, priority, cancel_requested_at, started_at, worker, run_at, id, crashes, rescues, attempt,
        concurrency_key}) or {}
    local lease = job.lease
    if not job.id then return let_go(written(seq), written(fence)) end
    if not lease or is_open(lease) then return end
    if (job.started_at and 1 or 0) ~= ending.was_started then return end
    if redis.call('HDEL', held_key(lease), held_field(seq, fence)) == 0 then return end

    note(seq, 'rescued', job.worker, fence, string.format(
        '{"by":%s,"started":%s%s}', json(ask.by), job.started_at and 'true' or 'false', culprit_json(lease)))
    keep_attempt(written(seq), {
        fence = fence, number = run_number(lease, job.attempt), started_at = job.started_at, outcome = 'lost',
        reason = not job.cancel_requested_at and reason,
    })
    if job.cancel_requested_at then
        redis.call('SREM', cancels_key(lease), held_field(seq, fence))
        state, reason = 'cancelled', nil
    end
    -- Never below zero: a step that was recorded since the job was read has set them back.
    local crashes = math.max(0, (tonumber(job.crashes) or 0) + ending.crash)
    local rescues = math.max(0, (tonumber(job.rescues) or 0) + ending.rescue)
    local suspect = is_suspect(crashes, rescues)
    if state == 'pending' then state = ready(job.queue, suspect) end
    redis.call('HDEL', key, 'reason')
    redis.call('HSET', key, 'state', state, 'lease', '', 'fence', written(next_fence(fence)))
    if reason then redis.call('HSET', key, 'reason', reason) end
    if state == 'failed' and ending.cause then redis.call('HSET', key, 'cause', ending.cause) end
    if FINISHED[state] then redis.call('HSET', key, 'finished_at', stamp) end
    if ending.charge ~= 0 then redis.call('HINCRBY', key, 'attempt', ending.charge) end
    if ending.crash ~= 0 then redis.call('HSET', key, 'crashes', written(crashes)) end
    if ending.rescue ~= 0 then redis.call('HSET', key, 'rescues', written(rescues)) end
    if ending.errors then keep_errors(written(seq), ending.errors) end
    if not FINISHED[state] then settle_expiry(seq, job.started_at) end
    count('running', job.queue, -1)
    local at = FINISHED[state] and now or tonumber(job.run_at) or now
    local placed_as, gate = GATES.returned(state, written(seq), job.concurrency_key)
    place(placed_as, job.queue, seq, tonumber(job.priority) or 0, at, suspect, gate)
    if is_manual(lease) then
        redis.call('ZREM', KEY.lease_lost, lease)
        remove_manual(lease)
    end
    if job.concurrency_key then free_concurrency_key(job.concurrency_key, written(seq)) end
    rescued[#rescued + 1] = {job.id, state, job.worker}
end

local wrong = refusal(ask.endings)
if wrong then return wrong end

for _, lease in ipairs(ask.leases) do lose(lease) end
for _, ending in ipairs(ask.endings) do free(ending) end
settle(try)
settle_keys(try)
EDGES.settle(try)
release_keys(ask.keys, next_fence)
for _, lease in ipairs(ask.leases) do forget_if_empty(lease) end

return {'rescued', rescued, 'vanished', vanished, 'overwritten', overwritten}
