-- The rates of tasks: as the code says, and as an operator does.
-- KEYS task_rates
-- without epoch
-- asks task (or null for all)
-- gives rates: rows (TaskRateRecord)
local tasks, rows = {ask.task}, {}
if not ask.task then tasks = redis.call('ZRANGE', KEY.task_rates, 0, -1) end
for _, task in ipairs(tasks) do
    local found = redis.call('HMGET', prefix .. 'task_rate:' .. task, {found: declared, chosen, changed_at, changed_by})
    if found.declared or found.chosen then
        rows[#rows + 1] = {
            TaskRateRecord; task = task; declared = found.declared; chosen = found.chosen;
            changed_at = tonumber(found.changed_at) or false; changed_by = found.changed_by}
    end
end
return {'rates', rows}
