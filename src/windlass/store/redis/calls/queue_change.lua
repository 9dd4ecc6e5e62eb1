-- Changes the settings that are named and keeps who did it. An operator has decided about them from now on, or, if is_decided
-- is 0, no longer. A queue may be set up before its first job.
-- KEYS counts, queues, configured
-- asks name, by, is_decided; changes: rows (setting, value) as change, where null takes the setting back
--      seen: null, or when the caller has seen an operator's last change, 0 for none: nothing happens if there was another
-- gives changed: one row (name), unless there was another change
-- with allow_oom, limits, decided
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

local key, decided = queue_key(ask.name), DECIDED.of(ask.name)
if ask.seen and (tonumber(redis.call('HGET', key, 'changed_at') or 0) or 0) ~= ask.seen then return {'changed', {}} end
redis.call('SADD', KEY.queues, ask.name)
note_settings(ask.name)
for _, change in ipairs(ask.changes) do
    local setting, value = change.setting, change.value
    if setting == 'rate' then RATES.change(ask.name, value) end
    if value == nil then redis.call('HDEL', key, setting) else redis.call('HSET', key, setting, value) end
    decided[setting] = ask.is_decided ~= 0 and {now, ask.by} or nil
end
DECIDED.keep(ask.name, decided)
if ask.name == '*' then follow_limit_of_all() end
redis.call('HSET', key, 'changed_at', stamp, 'changed_by', ask.by)
return {'changed', {{ask.name}}}
