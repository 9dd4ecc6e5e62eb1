-- What stands between a job and its run: gates that are shut, jobs before it, no worker that serves its queue; of one
-- that runs, how long its owner has been silent. And whether any process keeps the store up.
-- KEYS workers, counts, due, lease_until, cooldowns, opening, rated
-- without epoch
-- asks seq, holders: how many of those who run under a limit are wanted
-- gives gates: one row (ClaimSituation), or none if the job is gone; shut: rows (ShutGate)
--       holders: rows (id) of jobs that run under the limit that holds it
-- with chunks, index, state_sets, lease, leader, gates, rate_keys
local COUNTED = 1000

local job = redis.call('HMGET', job_key(written(ask.seq)), {
    job: state, queue, priority, run_at, reason, worker, crashes, rescues, lease, rate_key})
local state, queue, priority = job.state, job.queue, tonumber(job.priority) or 0
if not state then return {'gates', {}, 'shut', {}} end

local shut = {}
add_shut(shut, COMMON_GATES)
add_shut(shut, QUEUE_GATES, queue)

-- Those of its rate.
local rate = (state == 'pending' or state == 'blocked') and job.rate_key
if rate then add_shut(shut, RATE_KEYS.gates, rate, written(ask.seq)) end

-- Whether a worker says that it serves the queue; the text is our own, not a user's.
local function serves(info)
    local is_read, decoded = pcall(cjson.decode, info)
    for _, name in ipairs(is_read and type(decoded) == 'table' and decoded.queues or {}) do
        if name == queue then return true end
    end
    return false
end

-- Who runs under the limit that holds it; that of the app counts all.
local function holders()
    local is_full = is_at_limit('*')
    if state ~= 'pending' or not (is_full or is_at_limit(queue)) then return {} end
    local seqs, rows = {}, {}
    for _, lease in ipairs(redis.call('ZRANGE', KEY.lease_until, 0, -1)) do
        local held = redis.call('HGETALL', held_key(lease))
        for index = 1, #held, 2 do
            if #seqs < ask.holders and (is_full or queue_of_any_run(held[index + 1]) == queue) then
                seqs[#seqs + 1] = held_job(held[index])
            end
        end
        if #seqs == ask.holders then break end
    end
    table.sort(seqs)
    for _, seq in ipairs(seqs) do
        local id = redis.call('HGET', job_key(written(seq)), 'id')
        if id then rows[#rows + 1] = {id} end
    end
    return rows
end

local serving, willing = 0, 0
for _, id in ipairs(redis.call('ZRANGE', KEY.workers, 0, -1)) do
    local worker = redis.call('HMGET', prefix .. 'worker:' .. id, {worker: lease, info, state, signal})
    if is_live(worker.lease) and serves(worker.info) then
        serving = serving + 1
        if worker.state ~= 'paused' and worker.state ~= 'draining' and worker.signal ~= 'pause' then
            willing = willing + 1
        end
    end
end

local ahead, suspects_ahead = 0, 0
if is_suspect(job.crashes, job.rescues) then
    if state == 'pending' then add_shut(shut, SUSPECT_GATES, queue, pending_member(priority, ask.seq)) end
    suspects_ahead = redis.call('ZRANK', suspects_key(queue), pending_member(priority, ask.seq)) or 0
    -- It comes before the others of its priority.
    ahead = redis.call('ZCOUNT', pending_key(queue), '-inf', '(' .. turn(priority, 0))
else
    ahead = redis.call('ZRANK', pending_key(queue), pending_member(priority, ask.seq)) or 0
end

local silent, is_over = false, false
if state == 'running' then
    local renewed_at = job.lease and tonumber(redis.call('HGET', lease_key(job.lease), 'renewed_at'))
    silent = renewed_at and now - renewed_at or false -- nil would end the row
    is_over = not is_live(job.lease)
end
-- A process that does upkeep leads, or takes the lead soon after it is free.
local leader = read_leader('leader')
local is_tended = leader.holder and leader.over_at - 2 * leader.ttl <= now and now < leader.over_at + leader.ttl
return {'gates', {{
    ClaimSituation; state = state; ahead = math.min(ahead, COUNTED); serving = serving; willing = willing;
    due_in = (tonumber(job.run_at) or now) - now; reason = job.reason; worker = job.worker;
    suspects_ahead = math.min(suspects_ahead, COUNTED); silent = silent; is_over = is_over and 1 or 0;
    is_tended = is_tended and 1 or 0;
}}, 'shut', shut, 'holders', holders()}
