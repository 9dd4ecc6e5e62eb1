-- Ends jobs that wait or run as failed, by hand. The fence of a run is raised, so that its owner finds out that it has lost
-- the job, and its ending changes nothing. A job that has moved on since it was seen stays as it is.
-- KEYS counts, due, ids, events, lease_from, lease_until, waiting, expiring, gates, awaited, unsettled
-- asks endings: rows (Ending, found) as ending; found is the state in which the job was seen
--      by, reason
-- gives failed: rows (seq)
-- with chunks, texts, allow_oom, index, state_sets, unique, finished, lease, concurrency, attempts, expiry, events, edges
local failed = {}
local WAITS = {scheduled = true, pending = true, retrying = true, blocked = true}

-- Takes a run away from its lease; the fence from now on, or nothing if it has ended already.
local function take_run(seq, ending, job)
    local lease = job.lease
    if not lease or redis.call('HDEL', held_key(lease), held_field(seq, ending.fence)) == 0 then return end
    redis.call('SREM', cancels_key(lease), held_field(seq, ending.fence))
    if job.started_at then
        keep_attempt(written(seq), {
            fence = ending.fence, number = run_number(lease, job.attempt), started_at = job.started_at,
            outcome = 'failed', reason = ending.reason,
        })
    end
    if is_manual(lease) then remove_manual(lease) else forget_if_empty(lease) end
    count('running', job.queue, -1)
    return next_fence(ending.fence)
end

local function fail(ending)
    local seq = ending.seq
    local key = job_key(written(seq))
    local job = try('HMGET', key, {
        job: state, queue, priority, lease, fence, worker, id, unique_key, crashes, rescues, gate, start_by,
        concurrency_key, attempt, started_at}) or {}
    local fence, priority = tonumber(job.fence) or 0, tonumber(job.priority) or 0
    if job.state ~= ending.found or fence ~= ending.fence then return end
    if job.state == 'running' then
        fence = take_run(seq, ending, job)
        if not fence then return end
    elseif WAITS[job.state] then
        displace(job.state, job.queue, seq, priority, is_suspect(job.crashes, job.rescues), job.gate)
    else
        return
    end
    note(seq, 'failed_by_hand', job.worker, ending.fence, string.format(
        '{"by":%s,"reason":%s,"from":"%s"}', json(ask.by), json(ask.reason), job.state))
    redis.call('HDEL', key, 'gate')
    redis.call(
        'HSET', key, 'state', 'failed', 'reason', ending.reason, 'finished_at', stamp, 'lease', '', 'fence', written(fence))
    if ending.cause then redis.call('HSET', key, 'cause', ending.cause) end
    if ending.charge ~= 0 then redis.call('HINCRBY', key, 'attempt', ending.charge) end
    if ending.errors then keep_errors(written(seq), ending.errors) end
    place('failed', job.queue, seq, priority, stamp)
    if job.concurrency_key then free_concurrency_key(job.concurrency_key, written(seq)) end
    if job.unique_key then release_key(job.unique_key, job.id) end
    if job.start_by then drop_expiry(seq) end
    failed[#failed + 1] = {seq}
end

for _, ending in ipairs(ask.endings) do fail(ending) end
settle()
settle_keys()
EDGES.settle()
return {'failed', failed}
