-- Changes the settings that are named and keeps who did it. A queue may be set up before its first job.
-- KEYS counts, queues, configured
-- asks name, by; changes: rows (setting, value) as change, where null takes the setting back
-- gives nothing
-- with allow_oom, limits
local NUMBERS = {weight = true, max_length = true, max_running = true}
local TEXTS = {retention = true, retry = true, cooldown = true, rate = true}

for _, change in ipairs(ask.changes) do
    local setting, value = change.setting, change.value
    local is_right = value == nil or (NUMBERS[setting] and type(value) == 'number' and value % 1 == 0)
        or (TEXTS[setting] and type(value) == 'string')
    if not is_right then
        return redis.error_reply('REFUSED ' .. setting .. ' cannot be ' .. tostring(value))
    end
end

local key = queue_key(ask.name)
redis.call('SADD', KEY.queues, ask.name)
note_settings(ask.name)
for _, change in ipairs(ask.changes) do
    local setting, value = change.setting, change.value
    if value == nil then redis.call('HDEL', key, setting) else redis.call('HSET', key, setting, value) end
end
if ask.name == '*' then follow_limit_of_all() end
redis.call('HSET', key, 'changed_at', stamp, 'changed_by', ask.by)
return {}
