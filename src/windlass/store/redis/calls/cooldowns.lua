-- The cool-downs that last: all, or those of one task and of the keys of its rate.
-- KEYS cooldowns
-- without epoch
-- asks limit, task (or null for all)
-- gives cooldowns: rows (CooldownRecord) as one/other
local rows = {}
local function is_asked_for(scope, name)
    return not ask.task or (scope == 'task' and string.match(name, '^[^\t]*') == ask.task)
end
local members = redis.call(
    'ZRANGEBYSCORE', KEY.cooldowns, '(' .. stamp, '+inf', 'LIMIT', 0, ask.task and -1 or ask.limit)
for _, member in ipairs(members) do
    if #rows == ask.limit then break end
    local scope, name = string.match(member, '^(%a+):(.*)$')
    local found = is_asked_for(scope, name)
        and redis.call('HMGET', prefix .. 'cooldown:' .. member, {found: began_at, ends_at, job, reason})
    if found and found.began_at and tonumber(found.began_at) <= now then
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
