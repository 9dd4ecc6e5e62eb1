-- Records what has come of a wait for an event, or that the job waits; what is recorded already stays.
-- KEYS counts
-- asks seq, fence, name, number, event; timeout: how long the job waits at the most, or null
-- gives outcome: one row (kind, 1 if it is over, in how many milliseconds the time is over, the event's value), if the run
--       still has the job
-- with chunks, texts, allow_oom, lease, steps, waits
local lease = lease_of(ask.seq, ask.fence)
if not lease then return {'outcome', {}} end
local seq = written(ask.seq)
note_not_plain(lease, held_field(ask.seq, ask.fence))
local text = redis.call('HGET', steps_key(seq), ask.name)
local step -- row (StepRecord) as step
if text then step = step_row(ask.name, text) else
    step = {
        StepRecord; name = ask.name; number = ask.number; kind = 'event'; fence = ask.fence; began_at = now;
        ended_at = false; wake_at = ask.timeout and now + ask.timeout or false; event = ask.event; result = false}
end
if not step.ended_at then
    step.fence = ask.fence
    if has_come(ask.event, step.began_at) then
        step.ended_at, step.result = now, redis.call('HGET', event_key(ask.event), 'value')
    elseif step.wake_at and step.wake_at <= now then
        step.kind, step.ended_at = 'timeout', now
    end
    redis.call('HSET', steps_key(seq), ask.name, step_text({
        number = step.number, kind = step.kind, fence = step.fence, began_at = step.began_at,
        ended_at = step.ended_at, wake_at = step.wake_at, event = step.event, result = step.result}))
    redis.call('HSET', job_key(seq), 'steps', '')
    -- A job that gets on has its budget of attempts anew.
    redis.call('HDEL', job_key(seq), 'attempt', 'crashes', 'rescues')
    if step.ended_at then await_no_more(seq, ask.event) else await(seq, ask.event) end
end
return {'outcome', {{step.kind, step.ended_at and 1 or 0, step.wake_at and step.wake_at - now, step.result}}}
