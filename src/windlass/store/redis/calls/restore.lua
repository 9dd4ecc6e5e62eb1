-- Puts an archived job back as it was, and takes it out of the store's own archive. Only its seq is new, and its end is now, or
-- the next cleaning would take it again. The first write is one that a server without memory refuses.
-- KEYS ids, seq, queues, counts, due, events, waiting, expiring
-- asks id, archived (its seq in the archive), fence, detail; week, null where it does not lie in that archive
--      jobs: rows (JobRecord) as job, of which there is one; steps: rows (StepRecord) as step
-- gives refused: rows (taken or gone), none if it was restored
-- with chunks, texts, index, state_sets, record, unique, finished, events, tags, expiry, imported, steps, archive
if redis.call('HEXISTS', KEY.ids, ask.id) == 1 then return {'refused', {{'taken'}}} end
local field = written(ask.archived)
if ask.week and redis.call('HEXISTS', ARCHIVE.key(ask.week), field) == 0 then return {'refused', {{'gone'}}} end

for _, job in ipairs(ask.jobs) do job.finished_at = now end
store_imported(ask.jobs)
local seq = redis.call('HGET', KEY.ids, ask.id)
for _, step in ipairs(ask.steps) do
    redis.call('HSET', steps_key(seq), step.name, step_text({
        number = step.number, kind = step.kind, fence = step.fence, began_at = step.began_at,
        ended_at = step.ended_at, wake_at = step.wake_at, event = step.event, result = step.result}))
end
if #ask.steps > 0 then redis.call('HSET', job_key(seq), 'steps', '') end
note(seq, 'restored', nil, ask.fence, ask.detail)
if ask.week then redis.call('HDEL', ARCHIVE.key(ask.week), field) end
return {'refused', {}}
