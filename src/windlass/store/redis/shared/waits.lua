-- Events that jobs wait for: event:NAME is the newest, waiters:NAME the jobs. A job that waits has its name in the field
-- awaits.
local SENT_BEFORE = 604800000 -- an event counts that was sent since so long before the wait began

local function event_key(name) return prefix .. 'event:' .. name end
local function waiters_key(name) return prefix .. 'waiters:' .. name end

local function has_come(name, began_at)
    local sent_at = tonumber(redis.call('HGET', event_key(name), 'sent_at'))
    return sent_at and sent_at > began_at - SENT_BEFORE
end
-- Needs KEY.sent and KEY.sent_new.
local function keep_event(name, sent_at, value)
    redis.call('DEL', event_key(name))
    redis.call('HSET', event_key(name), 'sent_at', written(sent_at))
    if value then redis.call('HSET', event_key(name), 'value', value) end
    redis.call('ZADD', KEY.sent, written(sent_at), name)
    redis.call('SADD', KEY.sent_new, name)
end
local function await(seq, name)
    redis.call('SADD', waiters_key(name), seq)
    redis.call('HSET', job_key(seq), 'awaits', name)
end
local function await_no_more(seq, name)
    redis.call('SREM', waiters_key(name), seq)
    redis.call('HDEL', job_key(seq), 'awaits')
end
