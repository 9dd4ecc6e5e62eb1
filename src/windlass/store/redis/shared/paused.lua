-- Queues whose jobs nobody may take; the name * stands for all of them.
local function queue_key(queue) return prefix .. 'queue:' .. queue end
local function is_paused(queue) return redis.call('HEXISTS', queue_key(queue), 'paused_at') == 1 end
