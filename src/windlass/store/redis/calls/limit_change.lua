-- Sets rate, burst or both, and keeps who did it.
-- KEYS counts, limits
-- asks name, by; amount, period, burst: null for what stays as it is; first_burst: of a limit that is new and is given
--      none; seen: null, or when the caller has seen an operator's last change, 0 for none: nothing happens if there was
--      another
-- gives changed: one row (name), unless there is no such limit and no rate to begin with
-- with allow_oom, buckets
local old = read_limit(ask.name)
if not old and not ask.amount then return {'changed', {}} end
local changed_at = redis.call('HGET', limit_key(ask.name), 'changed_at')
if ask.seen and (tonumber(changed_at or 0) or 0) ~= ask.seen then return {'changed', {}} end
set_limit(
    ask.name, old, ask.amount or old.amount, ask.period or old.period,
    ask.burst or (old and old.burst) or ask.first_burst)
redis.call('HSET', limit_key(ask.name), 'changed_at', stamp, 'changed_by', ask.by)
return {'changed', {{ask.name}}}
