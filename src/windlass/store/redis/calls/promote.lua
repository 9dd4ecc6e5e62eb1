-- Makes jobs pending whose time has come, the longest overdue first. They line up by the time at which they
-- were due. Before that it ends jobs that have not started in time; last it settles edges that other calls have left.
-- KEYS counts, due, ids, waiting, expiring, gates, opening, awaited, unsettled
-- asks limit
-- gives promoted, expired: rows (seq); opening: a row, if a rate has a token for jobs that wait (see open_rates); released, doomed: one row each
--       (how many jobs became free of their parents, or were cancelled because of one); vanished: rows (VanishedJob) of jobs whose bodies are gone; overwritten: see
--       shared/overwritten
-- with chunks, allow_oom, index, state_sets, unique, overwritten, concurrency, edges
local LATER = 60000
local unsettled = redis.call('SRANDMEMBER', KEY.unsettled, EDGES.AT_ONCE)
local MAY_EXPIRE = {scheduled = true, pending = true, blocked = true}

-- Ends a job that waits and is too late to start. Others are not looked at again: those that are gone, and those that an
-- earlier release has taken.
local expired = {}
local function expire(seq)
    local key = job_key(written(seq))
    local found = try('HMGET', key, {
        found: id, state, queue, priority, start_by, unique_key, crashes, rescues, gate,
        concurrency_key}) or {}
    if not found.id or not MAY_EXPIRE[found.state] or (tonumber(found.start_by) or now + 1) > now then return end
    local priority = tonumber(found.priority) or 0
    redis.call('HSET', key, 'state', 'cancelled', 'reason', 'expired', 'finished_at', stamp)
    if found.gate then redis.call('HDEL', key, 'gate') end
    displace(found.state, found.queue, seq, priority, is_suspect(found.crashes, found.rescues), found.gate)
    place('cancelled', found.queue, seq, priority, stamp)
    if found.unique_key then release_key(found.unique_key, found.id) end
    if found.concurrency_key then free_concurrency_key(found.concurrency_key, written(seq)) end
    expired[#expired + 1] = {seq}
end

local late = redis.call('ZRANGEBYSCORE', KEY.expiring, '-inf', now, 'LIMIT', 0, ask.limit)
if #late > 0 then
    in_portions(late, function(...) redis.call('ZREM', KEY.expiring, ...) end)
    for _, member in ipairs(late) do expire(tonumber(member)) end
    settle(try)
    settle_keys(try)
end

-- None while there may be more to expire: those may be due too.
local room = #late < ask.limit and ask.limit or 0
local members = redis.call('ZRANGEBYSCORE', KEY.due, '-inf', now, 'LIMIT', 0, room)
in_portions(members, function(...) redis.call('ZREM', KEY.due, ...) end)

local promoted, vanished, states, suspect_states = {}, {}, {}, {}
for _, member in ipairs(members) do
    local seq = tonumber(member)
    local key = job_key(written(seq))
    local job = try('HMGET', key, {job: state, queue, priority, run_at, crashes, rescues}) or {}
    local queue = job.queue
    local suspect = is_suspect(job.crashes, job.rescues)
    local states = suspect and suspect_states or states
    if queue and not states[queue] then states[queue] = ready(queue, suspect) end
    if job.state and states[queue] ~= 'pending' then
        redis.call('ZADD', KEY.due, now + LATER, member)
    elseif job.state then
        redis.call('HSET', key, 'state', 'pending', 'promoted_at', stamp)
        count(job.state, queue, -1)
        place('pending', queue, seq, tonumber(job.priority) or 0, job.run_at, suspect)
        promoted[#promoted + 1] = {seq}
    else
        -- Where it was counted is not known here; the call `remove_vanished` finds out.
        vanished[#vanished + 1] = {VanishedJob; seq = seq; queue = false; was = 'scheduled'}
    end
end
settle()
for _, seq in ipairs(unsettled) do ended_jobs[#ended_jobs + 1] = seq end
EDGES.settle(try)
-- Those that no job waits for any more.
for _, seq in ipairs(unsettled) do
    if try('SISMEMBER', KEY.awaited, seq) == 0 then redis.call('SREM', KEY.unsettled, seq) end
end
local opening = redis.call('ZCOUNT', KEY.opening, '-inf', now) > 0 and {{1}} or {}
return {
    'promoted', promoted, 'expired', expired, 'opening', opening, 'vanished', vanished, 'overwritten', overwritten,
    'released', {{EDGES.released}}, 'doomed', {{EDGES.cancelled}},
}
