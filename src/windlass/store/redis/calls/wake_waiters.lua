-- Makes jobs pending whose event has come, of `limit` that are to be looked at, but for those that run: what they wait for is
-- known when their run has ended.
-- KEYS counts, due, waiting, wakes
-- asks limit
-- gives woken: rows (seq); looked: one row (how many need no other look)
-- with chunks, allow_oom, index, state_sets, overwritten, waits
local woken, looked = {}, 0

-- Whether the job needs no other look.
local function wake(seq)
    local job = redis.call('HMGET', job_key(seq), {
        job: state, reason, queue, priority, crashes, rescues, awaits})
    if job.state == 'running' then return false end
    if job.state ~= 'scheduled' or job.reason ~= 'event' or not job.awaits then return true end
    -- Since when it waits does not matter here: the run that looks for the event decides.
    if redis.call('EXISTS', event_key(job.awaits)) == 0 then return true end
    local suspect = is_suspect(job.crashes, job.rescues)
    local state = ready(job.queue, suspect)
    if state ~= 'pending' then return false end
    local number, priority = tonumber(seq), tonumber(job.priority) or 0
    redis.call('HSET', job_key(seq), 'state', 'pending', 'run_at', stamp, 'promoted_at', stamp)
    displace('scheduled', job.queue, number, priority, suspect)
    place('pending', job.queue, number, priority, stamp, suspect)
    woken[#woken + 1] = {number}
    return true
end

for _, seq in ipairs(redis.call('SRANDMEMBER', KEY.wakes, ask.limit)) do
    if wake(seq) then
        redis.call('SREM', KEY.wakes, seq)
        looked = looked + 1
    end
end
settle()
return {'woken', woken, 'looked', {{looked}}}
