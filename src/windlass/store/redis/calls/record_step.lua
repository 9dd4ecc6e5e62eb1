-- Records a step under the run's fence. What is recorded under its name already stays: this is the same call again.
-- KEYS counts
-- asks seq, fence, name, number, kind, result; ran_for: how long the function ran
--      delay: how long a sleep takes, null for a function that has returned
-- gives recorded: one row (in how many milliseconds a sleep is over), if the run still has the job
-- with chunks, texts, allow_oom, lease, steps
local lease = lease_of(ask.seq, ask.fence)
if not lease then return {'recorded', {}} end
local seq = written(ask.seq)
note_not_plain(lease, held_field(ask.seq, ask.fence))
redis.call('HSETNX', steps_key(seq), ask.name, step_text({
    number = ask.number, kind = ask.kind, fence = ask.fence, began_at = now - ask.ran_for,
    ended_at = not ask.delay and now, wake_at = ask.delay and now + ask.delay, result = ask.result}))
redis.call('HSET', job_key(seq), 'steps', '')
-- A job that gets on has its budget of attempts anew.
redis.call('HDEL', job_key(seq), 'attempt', 'crashes', 'rescues')
-- row (StepRecord) as step
local step = step_row(ask.name, redis.call('HGET', steps_key(seq), ask.name))
return {'recorded', {{step.wake_at and step.wake_at - now}}}
