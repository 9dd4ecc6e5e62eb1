-- Sets the rate of a task, whatever the code says, and keeps who did it.
-- KEYS counts, gates, opening, task_rates
-- asks task, by; chosen: [amount,period,burst], [] for no rate, null lets the code decide again; seen: null, or when the
--      caller has seen an operator's last change, 0 for none: nothing happens if there was another; tasks: the task
-- gives changed: one row (task)
-- with allow_oom, task_rates
local changed_at = redis.call('HGET', TASK_RATES.key(ask.task), 'changed_at')
if ask.seen and (tonumber(changed_at or 0) or 0) ~= ask.seen then return {'changed', {}} end
TASK_RATES.set(
    ask.task,
    ask.chosen and {chosen = ask.chosen, changed_at = stamp, changed_by = ask.by} or {},
    {'chosen', 'changed_at', 'changed_by'})
return {'changed', {{ask.task}}}
