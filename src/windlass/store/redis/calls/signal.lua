-- Leaves word for one worker, by id or name, or for all of them (worker is null).
-- KEYS counts, workers
-- asks worker, signal (null takes it back), by
-- gives signalled: rows (id)
-- with drain
local signalled = {}
for _, id in ipairs(redis.call('ZRANGE', KEY.workers, 0, -1)) do
    local key = prefix .. 'worker:' .. id
    if not ask.worker or ask.worker == id or ask.worker == redis.call('HGET', key, 'name') then
        redis.call('HSET', key, 'signalled_by', ask.by)
        if ask.signal then redis.call('HSET', key, 'signal', ask.signal) else redis.call('HDEL', key, 'signal') end
        signalled[#signalled + 1] = {id}
    end
end
return {'signalled', signalled}
