-- Prolongs a lease and shows its worker. Time alone does not end a lease: as long as nobody has rescued its jobs it may
-- be renewed, however late.
-- KEYS counts, workers, due, lease_from, lease_until
-- asks worker, name, state, info, lease
-- gives held: rows (seq, fence), what the lease still holds
--       next: one row (is the lease open, milliseconds until the next other lease is over, until the next job is due)
-- with drain, lease
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

-- Two, because our own lease may be the first; leases that are lost stand at -inf.
local next_expiry = false
local leases = redis.call('ZRANGEBYSCORE', KEY.lease_until, '(-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, 2)
for index = 1, #leases, 2 do
    if leases[index] ~= ask.lease and not next_expiry then next_expiry = leases[index + 1] - now end
end
local due = redis.call('ZRANGE', KEY.due, 0, 0, 'WITHSCORES')
return {'held', held, 'next', {{open and 1 or 0, next_expiry, due[2] and due[2] - now or false}}}
