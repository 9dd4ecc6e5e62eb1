-- Cool-downs of queues, tasks and limits; there is none where they are overwritten. Needs KEY.cooldowns.
-- with overwritten
local function cooldown_key(scope, name) return prefix .. 'cooldown:' .. scope .. ':' .. name end

-- Most stores have no cool-down, which is asked once.
local has_cooldowns
-- Began_at, ends_at and reason of a cool-down that lasts; nothing if there is none. A clock that jumps, in either
-- direction, never makes one longer than it is.
local function read_cooldown(scope, name)
    if has_cooldowns == nil then has_cooldowns = redis.call('EXISTS', KEY.cooldowns) == 1 end
    if not has_cooldowns then return end
    local member = scope .. ':' .. name
    local ends_at = tonumber(try('ZSCORE', KEY.cooldowns, member) or 0)
    if ends_at <= now then return end
    local found = try('HMGET', cooldown_key(scope, name), {found: began_at, reason}) or {}
    local began_at = tonumber(found.began_at)
    if not began_at or began_at > now then return end
    return began_at, ends_at, found.reason
end
