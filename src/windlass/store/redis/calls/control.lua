-- What others want of a worker.
-- KEYS queues, configured, cooldowns, mutes
-- without epoch
-- asks worker, lease
-- gives signal: one row (signal, signalled_by, is_open, now, the token of who wants its stacks)
--       cancels: rows (seq, fence) of the jobs of this lease that are to be cancelled
--       queues: rows (QueueControl) of the queues that have one of these
--       cooling: rows (task, milliseconds) of the tasks that cool down
--       muted: rows (cause) of the failures that are muted; row (MuteRecord) as mute
--       overwritten: see shared/overwritten
-- with lease, paused, cooldowns, mutes
local cancels, queues = {}, {}
for _, field in ipairs(redis.call('SMEMBERS', cancels_key(ask.lease))) do
    cancels[#cancels + 1] = {held_job(field)}
end
local configured = redis.call('SMEMBERS', KEY.configured)
-- A store of an older release has no such list until a worker of this one begins.
if #configured == 0 then configured = redis.call('SMEMBERS', KEY.queues) end
for _, name in ipairs(configured) do
    local found = try('HMGET', queue_key(name), {found: weight, paused_at, retry}) or {}
    if found.weight or found.paused_at or found.retry then
        queues[#queues + 1] = {
            QueueControl; name = name; weight = tonumber(found.weight) or false; is_paused = found.paused_at and 1 or 0;
            retry = found.retry}
    end
end
local cooling = {}
for _, member in ipairs(try('ZRANGEBYSCORE', KEY.cooldowns, '(' .. stamp, '+inf') or {}) do
    -- Not their rates, which have a tab in their names: claims ask about those.
    local task = string.match(member, '^task:([^\t]*)$')
    local _, ends_at = COOLDOWNS.read('task', task or '')
    if ends_at then cooling[#cooling + 1] = {task, ends_at - now} end
end
local muted = {}
for index, mute in ipairs((MUTES.told_apart(try('HVALS', KEY.mutes) or {}))) do muted[index] = {mute.cause} end
local wanted = redis.call('HMGET', prefix .. 'worker:' .. ask.worker, {wanted: signal, signalled_by, stacks})
return {
    'signal', {{wanted.signal, wanted.signalled_by, is_open(ask.lease) and 1 or 0, now, wanted.stacks}}, 'cancels', cancels,
    'queues', queues, 'cooling', cooling, 'muted', muted, 'overwritten', overwritten,
}
