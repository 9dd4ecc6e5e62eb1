-- Signals one worker, by id or name, or all of them (worker is null). A stop is final: it reaches workers that live,
-- and a worker that was asked to stop is reached by nothing else.
-- KEYS counts, workers
-- asks worker, signal (null takes it back), by
-- gives signalled: rows (id)
-- with allow_oom, workers
local signalled = {}
for _, id in ipairs(workers_called(ask.worker)) do
    local key = worker_key(id)
    local is_stopping = redis.call('HGET', key, 'signal') == 'stop'
    local is_reached = not is_stopping
    if ask.signal == 'stop' then is_reached = is_live(redis.call('HGET', key, 'lease')) end
    if is_reached then
        if not is_stopping then redis.call('HSET', key, 'signalled_by', ask.by) end
        if ask.signal then redis.call('HSET', key, 'signal', ask.signal) else redis.call('HDEL', key, 'signal') end
        signalled[#signalled + 1] = {id}
    end
end
return {'signalled', signalled}
