-- Queues whose jobs nobody may take; the name * stands for all of them. One whose settings are foreign has none.
-- with foreign
local function queue_key(queue) return prefix .. 'queue:' .. queue end
local function is_paused(queue) return try('HEXISTS', queue_key(queue), 'paused_at') == 1 end
