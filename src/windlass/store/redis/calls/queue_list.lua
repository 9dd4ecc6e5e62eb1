-- Queues and their settings, by name; the name * is what is true for all of them.
-- KEYS queues
-- without epoch
-- asks name (or null for all)
-- gives queues: rows (QueueRecord)
-- with paused, decided
local names = {ask.name}
if not ask.name then
    names = redis.call('SMEMBERS', KEY.queues)
    table.sort(names)
elseif redis.call('SISMEMBER', KEY.queues, ask.name) == 0 then
    names = {}
end

local rows = {}
for index, name in ipairs(names) do
    local found = redis.call('HMGET', queue_key(name), {
        found: weight, max_length, max_running, retention, retry, paused_at, paused_by, paused_reason, changed_at,
        changed_by, cooldown, rate})
    local decided = DECIDED.of(name)
    rows[index] = {
        QueueRecord; name = name; weight = tonumber(found.weight) or false;
        max_length = tonumber(found.max_length) or false; max_running = tonumber(found.max_running) or false;
        retention = found.retention; retry = found.retry;
        paused_at = tonumber(found.paused_at) or false; paused_by = found.paused_by;
        paused_reason = found.paused_reason; changed_at = tonumber(found.changed_at) or false;
        changed_by = found.changed_by; cooldown = found.cooldown; rate = found.rate;
        decided = next(decided) and cjson.encode(decided) or false;
    }
end
return {'queues', rows}
