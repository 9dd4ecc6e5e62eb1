-- Makes jobs pending whose time has come, the longest overdue first. They line up by the time at which they
-- were due.
-- KEYS counts, due, waiting
-- asks limit
-- gives promoted: rows (seq); lost: rows (seq, false, 'scheduled') of jobs whose bodies are gone; foreign: see there in
--       shared/
-- with chunks, allow_oom, index, state_sets, overwritten
local LATER = 60000
local members = redis.call('ZRANGEBYSCORE', KEY.due, '-inf', now, 'LIMIT', 0, ask.limit)
in_portions(members, function(...) redis.call('ZREM', KEY.due, ...) end)

local promoted, lost, states, suspect_states = {}, {}, {}, {}
for _, member in ipairs(members) do
    local seq = tonumber(member)
    local key = job_key(written(seq))
    local job = try('HMGET', key, 'state', 'queue', 'priority', 'run_at', 'crashes', 'rescues') or {}
    local queue = job[2]
    local suspect = is_suspect(job[5], job[6])
    local states = suspect and suspect_states or states
    if queue and not states[queue] then states[queue] = ready(queue, suspect) end
    if job[1] and states[queue] ~= 'pending' then
        redis.call('ZADD', KEY.due, now + LATER, member)
    elseif job[1] then
        redis.call('HSET', key, 'state', 'pending', 'promoted_at', stamp)
        count(job[1], queue, -1)
        place('pending', queue, seq, tonumber(job[3]) or 0, job[4], suspect)
        promoted[#promoted + 1] = {seq}
    else
        -- Where it was counted nobody knows here; the call `lost` finds out.
        lost[#lost + 1] = {seq, false, 'scheduled'}
    end
end
settle()
return {'promoted', promoted, 'lost', lost, 'foreign', foreign}
