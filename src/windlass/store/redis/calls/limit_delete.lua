-- Removes a limit with its line and its cool-down.
-- KEYS counts, limits, cooldowns
-- asks name
-- gives deleted: one row (name), if there was one
-- with allow_oom, buckets, cooldowns
redis.call('DEL', line_key(ask.name), line_until_key(ask.name), COOLDOWNS.key('limit', ask.name))
redis.call('ZREM', KEY.cooldowns, 'limit:' .. ask.name)
redis.call('ZREM', KEY.limits, ask.name)
if redis.call('DEL', limit_key(ask.name)) == 0 then return {'deleted', {}} end
return {'deleted', {{ask.name}}}
