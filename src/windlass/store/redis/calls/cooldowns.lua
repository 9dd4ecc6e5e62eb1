-- The cool-downs that last.
-- KEYS cooldowns
-- without epoch
-- asks limit
-- gives cooldowns: rows (CooldownRecord) as one/other
local rows = {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEY.cooldowns, '(' .. stamp, '+inf', 'LIMIT', 0, ask.limit)) do
    local scope, name = string.match(member, '^(%a+):(.*)$')
    local found = redis.call('HMGET', prefix .. 'cooldown:' .. member, {found: began_at, ends_at, job, reason})
    if found.began_at and tonumber(found.began_at) <= now then
        rows[#rows + 1] = {
            CooldownRecord; scope = scope; name = name; began_at = tonumber(found.began_at);
            ends_at = tonumber(found.ends_at); job = found.job; reason = found.reason}
    end
end
table.sort(rows, function(one, other)
    if one.scope ~= other.scope then return one.scope < other.scope end
    return one.name < other.name
end)
return {'cooldowns', rows}
