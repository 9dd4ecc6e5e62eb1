-- Sets how many jobs of a task may hold the same concurrency key, and keeps who did it; null lets the code decide again.
-- KEYS counts, key_limits
-- asks task, concurrency, by
-- gives nothing
-- with allow_oom
local key = prefix .. 'key_limit:' .. ask.task
redis.call('ZADD', KEY.key_limits, 0, ask.task)
if ask.concurrency then
    redis.call('HSET', key, 'concurrency', written(ask.concurrency), 'changed_at', stamp, 'changed_by', ask.by)
else
    redis.call('HDEL', key, 'concurrency', 'changed_at', 'changed_by')
end
return {}
