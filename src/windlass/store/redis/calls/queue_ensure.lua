-- Seeds queues with what the code says, also those that only their first job has made; what an operator has set, or
-- taken back, stays.
-- KEYS counts, queues
-- asks queues: rows (name, weight, max_length)
-- gives nothing
-- with drain, paused
for _, row in ipairs(ask.queues) do
    local key = queue_key(row[1])
    redis.call('SADD', KEY.queues, row[1])
    if redis.call('HEXISTS', key, 'changed_at') == 0 then
        if row[2] then redis.call('HSETNX', key, 'weight', row[2]) end
        if row[3] then redis.call('HSETNX', key, 'max_length', row[3]) end
    end
end
return {}
