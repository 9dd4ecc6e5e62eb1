-- Pauses a queue, or resumes it (is_paused is 0). A second pause keeps the first one's time. A queue may be paused
-- before its first job.
-- KEYS counts, queues, configured
-- asks name, by, reason, is_paused
-- gives paused: one row (name)
-- with allow_oom, paused, decided
local key = queue_key(ask.name)
redis.call('SADD', KEY.queues, ask.name)
note_settings(ask.name)
redis.call('HDEL', key, 'paused_by', 'paused_reason')
if ask.is_paused == 0 then
    redis.call('HDEL', key, 'paused_at')
else
    redis.call('HSETNX', key, 'paused_at', stamp)
    redis.call('HSET', key, 'paused_by', ask.by)
    if ask.reason then redis.call('HSET', key, 'paused_reason', ask.reason) end
end
DECIDED.keep(ask.name, DECIDED.of(ask.name))
redis.call('HSET', key, 'changed_at', stamp, 'changed_by', ask.by)
return {'paused', {{ask.name}}}
