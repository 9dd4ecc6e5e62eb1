-- How many jobs of each task with the same rate key may be claimed in which time, as the code says, and which tasks have no
-- rate any more; what an operator has chosen goes before it.
-- KEYS counts, gates, opening, task_rates
-- asks limits: rows (task, rate) as one; without: rows (task) as other; tasks: those of both
-- gives changed: rows (task)
-- with allow_oom, task_rates
local changed = {}
local function declare(task, rate)
    if TASK_RATES.set(task, {declared = rate}, {'declared'}) then changed[#changed + 1] = {task} end
end
for _, one in ipairs(ask.limits) do declare(one.task, one.rate) end
for _, other in ipairs(ask.without) do declare(other.task, nil) end
return {'changed', changed}
