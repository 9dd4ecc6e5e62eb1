-- Queues whose jobs may not be claimed; the name * stands for all of them. One whose settings are overwritten has none.
-- with overwritten
local function queue_key(queue) return prefix .. 'queue:' .. queue end
-- Queues that have, or had, settings; the others need not be read. Needs KEY.configured.
local function note_settings(queue)
    if redis.call('EXISTS', KEY.configured) == 1 then redis.call('SADD', KEY.configured, queue) end
end
local function is_paused(queue) return try('HEXISTS', queue_key(queue), 'paused_at') == 1 end
local function pause_of(queue)
    return redis.call('HMGET', queue_key(queue), 'paused_at', 'paused_by', 'paused_reason')
end
