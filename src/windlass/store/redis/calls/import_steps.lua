-- Stores the steps of a job of another store. What is recorded under a name already stays.
-- KEYS ids, wakes
-- asks id; steps: rows (StepRecord) as step
-- with steps, waits
local seq = redis.call('HGET', KEY.ids, ask.id)
if not seq then return {} end
for _, step in ipairs(ask.steps) do
    redis.call('HSETNX', steps_key(seq), step.name, step_text({
        number = step.number, kind = step.kind, fence = step.fence, began_at = step.began_at,
        ended_at = step.ended_at, wake_at = step.wake_at, event = step.event, result = step.result}))
    -- The event of a job that waits may be here already.
    if step.event and not step.ended_at then
        await(seq, step.event)
        redis.call('SADD', KEY.wakes, seq)
    end
end
redis.call('HSET', job_key(seq), 'steps', '')
return {}
