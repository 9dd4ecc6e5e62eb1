-- Ends a lease on its owner's word and removes the worker at once. Jobs that the lease should still hold are rescued by
-- whoever comes next.
-- KEYS counts, workers, lease_from, lease_until, lease_lost
-- asks worker, lease
-- gives nothing
-- with drain, lease
remove_lease(ask.lease)
redis.call('ZREM', KEY.lease_lost, ask.lease)
redis.call('DEL', prefix .. 'worker:' .. ask.worker)
redis.call('ZREM', KEY.workers, ask.worker)
return {}
