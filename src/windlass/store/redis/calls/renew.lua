-- Prolongs a lease and shows its worker. Time alone does not end a lease: until its jobs are rescued it may
-- be renewed, however late.
-- KEYS counts, workers, lease_from, lease_until
-- asks worker, name, state, info, lease
-- gives held: rows (seq, fence), what the lease still holds
--       open: one row (is the lease open)
-- with allow_oom, lease
local open = is_open(ask.lease)
if open then
    set_time(ask.lease, tonumber(redis.call('HGET', lease_key(ask.lease), 'ttl')))
    local worker = prefix .. 'worker:' .. ask.worker
    if redis.call('HSETNX', worker, 'name', ask.name) == 1 then
        redis.call('HSET', worker, 'started_at', now, 'lease', ask.lease)
    end
    redis.call('HSET', worker, 'state', ask.state, 'seen_at', now, 'info', ask.info)
    redis.call('ZADD', KEY.workers, now, ask.worker)
end

local held = {}
for _, field in ipairs(redis.call('HKEYS', held_key(ask.lease))) do held[#held + 1] = {held_job(field)} end

return {'held', held, 'open', {{open and 1 or 0}}}
