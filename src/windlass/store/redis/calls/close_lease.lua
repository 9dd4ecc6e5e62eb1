-- Ends a lease on its owner's word and removes the worker at once. Jobs that the lease should still hold are rescued by
-- the next round of the rescue duty.
-- KEYS counts, workers, lease_from, lease_until, lease_lost
-- asks worker, lease
-- gives signal: one row, the last order for the worker; no row if there is none
-- with allow_oom, workers
local signal = redis.call('HGET', worker_key(ask.worker), 'signal')
remove_lease(ask.lease)
redis.call('ZREM', KEY.lease_lost, ask.lease)
redis.call('DEL', worker_key(ask.worker))
redis.call('ZREM', KEY.workers, ask.worker)
return {'signal', signal and {{signal}} or {}}
