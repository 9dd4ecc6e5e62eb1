-- Gives up a place in line.
-- KEYS counts
-- asks name, waiter
-- gives nothing
-- with allow_oom, buckets
redis.call('ZREM', line_key(ask.name), ask.waiter)
redis.call('ZREM', line_until_key(ask.name), ask.waiter)
return {}
