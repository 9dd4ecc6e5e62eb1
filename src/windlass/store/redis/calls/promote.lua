-- Makes jobs pending whose time has come, the longest overdue first. They line up by the time at which they
-- were due.
-- KEYS counts, due, waiting
-- asks limit
-- gives promoted: rows (seq); vanished: rows (VanishedJob) of jobs whose bodies are gone; overwritten: see
--       shared/overwritten
-- with chunks, allow_oom, index, state_sets, overwritten
local LATER = 60000
local members = redis.call('ZRANGEBYSCORE', KEY.due, '-inf', now, 'LIMIT', 0, ask.limit)
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
return {'promoted', promoted, 'vanished', vanished, 'overwritten', overwritten}
