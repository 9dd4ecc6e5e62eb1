-- Makes jobs pending whose time has come, the longest overdue first. They keep their place by age.
-- KEYS counts, due
-- asks limit
-- gives promoted: rows (seq); lost: rows (seq, false, 'scheduled') of jobs whose bodies are gone
-- with portions, drain, index, places
local members = redis.call('ZRANGEBYSCORE', KEY.due, '-inf', now, 'LIMIT', 0, ask.limit)
in_portions(members, function(...) redis.call('ZREM', KEY.due, ...) end)

local promoted, lost = {}, {}
for _, member in ipairs(members) do
    local seq = tonumber(member)
    local key = job_key(written(seq))
    local job = redis.call('HMGET', key, 'state', 'queue', 'priority')
    if job[1] then
        redis.call('HSET', key, 'state', 'pending', 'promoted_at', stamp)
        count(job[1], job[2], -1)
        place('pending', job[2], seq, tonumber(job[3]) or 0)
        promoted[#promoted + 1] = {seq}
    else
        -- Where it was counted nobody knows here; the call `lost` finds out.
        lost[#lost + 1] = {seq, false, 'scheduled'}
    end
end
settle()
return {'promoted', promoted, 'lost', lost}
