-- Takes over the settings of queues, unless they were changed here since.
-- KEYS counts, queues, configured
-- asks queues: rows (QueueRecord) as queue
-- gives nothing
-- with allow_oom, limits, decided
local COLUMNS, AFTER_NAME = {{QueueRecord}}, {QueueRecord.name} + 1

for _, queue in ipairs(ask.queues) do
    local key = queue_key(queue.name)
    local changed_at = tonumber(redis.call('HGET', key, 'changed_at'))
    if not changed_at or (queue.changed_at and changed_at <= queue.changed_at) then
        redis.call('SADD', KEY.queues, queue.name)
        note_settings(queue.name)
        redis.call('DEL', key)
        for index = AFTER_NAME, #COLUMNS do
            if queue[index] then redis.call('HSET', key, COLUMNS[index], queue[index]) end
        end
        if not queue.decided then DECIDED.keep(queue.name, {}) end
        if queue.name == '*' then follow_limit_of_all() end
    end
end
return {}
