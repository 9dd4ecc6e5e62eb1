-- Shows the worker, or shows it again after it lost a lease, and opens a lease for it. A lease that is there stays.
-- KEYS counts, workers, lease_from, lease_until
-- asks worker, name, state, info, lease, ttl
-- gives nothing
-- with allow_oom, lease
local worker = prefix .. 'worker:' .. ask.worker
redis.call('HSETNX', worker, 'name', ask.name)
redis.call('HSETNX', worker, 'started_at', now)
redis.call('HSET', worker, 'state', ask.state, 'lease', ask.lease, 'seen_at', now, 'info', ask.info)
redis.call('ZADD', KEY.workers, now, ask.worker)

if redis.call('HSETNX', lease_key(ask.lease), 'state', 'open') == 1 then
    redis.call('HSET', lease_key(ask.lease), 'worker', ask.worker)
    set_time(ask.lease, ask.ttl)
end
return {}
