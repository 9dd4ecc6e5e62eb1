-- Cool-downs of queues, tasks and limits; there is none where they are overwritten. Needs KEY.cooldowns.
-- with overwritten
-- In one table: a script may have 200 local names and no more.
local COOLDOWNS = {}
function COOLDOWNS.key(scope, name) return prefix .. 'cooldown:' .. scope .. ':' .. name end

-- Began_at, ends_at and reason of a cool-down that lasts; nothing if there is none. Most stores have none at all, which is
-- asked once. A clock that jumps, in either direction, never makes one longer than it is.
function COOLDOWNS.read(scope, name)
    if COOLDOWNS.is_any == nil then COOLDOWNS.is_any = redis.call('EXISTS', KEY.cooldowns) == 1 end
    if not COOLDOWNS.is_any then return end
    local member = scope .. ':' .. name
    local ends_at = tonumber(try('ZSCORE', KEY.cooldowns, member) or 0)
    if ends_at <= now then return end
    local found = try('HMGET', COOLDOWNS.key(scope, name), {found: began_at, reason}) or {}
    local began_at = tonumber(found.began_at)
    if not began_at or began_at > now then return end
    return began_at, ends_at, found.reason
end
