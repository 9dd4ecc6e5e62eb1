-- Settings of queues that claims ask about; the name * stands for all queues. One whose settings are overwritten has
-- none.
-- with overwritten
local function queue_key(queue) return prefix .. 'queue:' .. queue end
-- Queues that have, or had, settings; the others need not be read. Needs KEY.configured.
local function note_settings(queue)
    if redis.call('EXISTS', KEY.configured) == 1 then redis.call('SADD', KEY.configured, queue) end
end
-- What claims ask of a queue's settings, read once.
local known_settings = {}
local function settings_of(queue)
    local set = known_settings[queue]
    if not set then
        set = try('HMGET', queue_key(queue), {set: paused_at, max_running, rate}) or {}
        known_settings[queue] = set
    end
    return set
end
local function is_paused(queue)
    local set = settings_of(queue)
    return set.paused_at
end
-- How many of its jobs may run at once; nil without a limit.
local function limit_of(queue)
    local set = settings_of(queue)
    return tonumber(set.max_running)
end
-- [amount,period,burst] as text; nothing without a rate.
local function rate_setting(queue)
    local set = settings_of(queue)
    return set.rate
end
local function pause_of(queue)
    return redis.call('HMGET', queue_key(queue), 'paused_at', 'paused_by', 'paused_reason')
end
