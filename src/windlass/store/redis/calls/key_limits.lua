-- How many jobs of each task may hold the same concurrency key: as the code says, and as an operator does.
-- KEYS key_limits
-- without epoch
-- asks task (or null for all)
-- gives limits: rows (KeyLimitRecord)
local tasks, rows = {ask.task}, {}
if not ask.task then tasks = redis.call('ZRANGE', KEY.key_limits, 0, -1) end
for _, task in ipairs(tasks) do
    local found = redis.call('HMGET', prefix .. 'key_limit:' .. task, {
        found: declared, concurrency, changed_at, changed_by})
    if found.declared or found.concurrency then
        rows[#rows + 1] = {
            KeyLimitRecord; task = task; declared = tonumber(found.declared) or false;
            concurrency = tonumber(found.concurrency) or false; changed_at = tonumber(found.changed_at) or false;
            changed_by = found.changed_by}
    end
end
return {'limits', rows}
