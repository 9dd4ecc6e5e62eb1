-- Queues and their settings, by name; the name * is what is true for all of them.
-- KEYS queues
-- without epoch
-- asks name (or null for all)
-- gives queues: rows as QueueRecord
-- with paused
local names = {ask.name}
if not ask.name then
    names = redis.call('SMEMBERS', KEY.queues)
    table.sort(names)
elseif redis.call('SISMEMBER', KEY.queues, ask.name) == 0 then
    names = {}
end

local rows = {}
for index, name in ipairs(names) do
    local found = redis.call(
        'HMGET', queue_key(name), 'weight', 'max_length', 'retention', 'retry', 'paused_at', 'paused_by',
        'paused_reason', 'changed_at', 'changed_by')
    rows[index] = {
        name, tonumber(found[1]) or false, tonumber(found[2]) or false, found[3], found[4],
        tonumber(found[5]) or false, found[6], found[7], tonumber(found[8]) or false, found[9],
    }
end
return {'queues', rows}
