-- Replaces texts of jobs, of steps and of events, each only if it is still the old one.
-- KEYS counts
-- asks texts: rows (NewTexts) as text; steps: rows (NewStepText) as given; events: rows (NewEventText) as event
-- with chunks, texts, steps, waits
-- A text stays where it is, in the job's hash or in a key of its own: what is said elsewhere of a plain job stays true.
local function replace_text(what, seq, old, new)
    local field = redis.call('HGET', job_key(seq), what)
    if not field or whole_text(what, seq, field) ~= old then return end
    if field == '' then
        redis.call('SET', text_key(what, seq), new)
    else
        redis.call('HSET', job_key(seq), what, new)
    end
    -- The type of the newest error is a text of users as well.
    if what == 'errors' and redis.call('HEXISTS', job_key(seq), 'error') == 1 then
        redis.call('HSET', job_key(seq), 'error', '')
    end
end

for _, text in ipairs(ask.texts) do
    local seq = written(text.seq)
    if text.payload then replace_text('payload', seq, text.old_payload, text.payload) end
    if text.meta then replace_text('meta', seq, text.old_meta, text.meta) end
    if text.result then replace_text('result', seq, text.old_result, text.result) end
    if text.errors then replace_text('errors', seq, text.old_errors, text.errors) end
    if text.progress then replace_text('progress', seq, text.old_progress, text.progress) end
end
for _, given in ipairs(ask.steps) do
    local key = steps_key(written(given.seq))
    local text = redis.call('HGET', key, given.name)
    -- row (StepRecord) as step
    local step = text and step_row(given.name, text)
    if step and step.result == given.old then
        redis.call('HSET', key, given.name, step_text({
            number = step.number, kind = step.kind, fence = step.fence, began_at = step.began_at,
            ended_at = step.ended_at, wake_at = step.wake_at, event = step.event, result = given.new}))
    end
end
for _, event in ipairs(ask.events) do
    if redis.call('HGET', event_key(event.name), 'value') == event.old then
        redis.call('HSET', event_key(event.name), 'value', event.new)
    end
end
return {}
