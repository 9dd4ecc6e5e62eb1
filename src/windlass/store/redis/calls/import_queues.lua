-- Takes over the settings of queues, unless somebody has changed them here since.
-- KEYS counts, queues, configured
-- asks queues: rows as QueueRecord
-- gives nothing
-- with allow_oom, paused
local SETTINGS = {
    'weight', 'max_length', 'retention', 'retry', 'paused_at', 'paused_by', 'paused_reason', 'changed_at', 'changed_by',
}

for _, row in ipairs(ask.queues) do
    local key = queue_key(row[1])
    local changed_at = tonumber(redis.call('HGET', key, 'changed_at'))
    if not changed_at or (row[9] and changed_at <= row[9]) then
        redis.call('SADD', KEY.queues, row[1])
        note_settings(row[1])
        redis.call('DEL', key)
        for index, setting in ipairs(SETTINGS) do
            if row[index + 1] then redis.call('HSET', key, setting, row[index + 1]) end
        end
    end
end
return {}
