-- What others want of a worker.
-- KEYS queues, configured
-- without epoch
-- asks worker, lease
-- gives signal: one row (signal, who left it, is the lease open, the time)
--       cancels: rows (seq, fence) of the jobs of this lease that somebody wants cancelled
--       queues: rows (name, weight, is it paused, retry) of the queues that have one of these
--       foreign: see there in shared/
-- with lease, paused
local cancels, queues = {}, {}
for _, field in ipairs(redis.call('SMEMBERS', cancels_key(ask.lease))) do
    cancels[#cancels + 1] = {held_job(field)}
end
local configured = redis.call('SMEMBERS', KEY.configured)
-- A store of an older release has no such list until a worker of this one begins.
if #configured == 0 then configured = redis.call('SMEMBERS', KEY.queues) end
for _, name in ipairs(configured) do
    local found = try('HMGET', queue_key(name), 'weight', 'paused_at', 'retry') or {}
    if found[1] or found[2] or found[3] then
        queues[#queues + 1] = {name, tonumber(found[1]) or false, found[2] and 1 or 0, found[3]}
    end
end
local wanted = redis.call('HMGET', prefix .. 'worker:' .. ask.worker, 'signal', 'signalled_by')
return {
    'signal', {{wanted[1], wanted[2], is_open(ask.lease) and 1 or 0, now}}, 'cancels', cancels, 'queues', queues,
    'foreign', foreign,
}
