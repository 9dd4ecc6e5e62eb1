-- Silences a rule for `length` milliseconds, or ends its silence where that is null.
-- KEYS alert_rules
-- asks name; length, by, reason (each may be null)
-- gives silenced: the rule, where there is one; row (AlertRule) as rule
-- with alerts
local rule, key = ALERTS.read_rule(ask.name), ALERTS.rule_key(ask.name)
if not rule or rule.is_deleted == '1' then return {'silenced', {}} end
redis.call('HDEL', key, 'silenced_until', 'silenced_by', 'silenced_reason')
if ask.length then
    redis.call('HSET', key, 'silenced_until', written(now + ask.length))
    if ask.by then redis.call('HSET', key, 'silenced_by', ask.by) end
    if ask.reason then redis.call('HSET', key, 'silenced_reason', ask.reason) end
end
return {'silenced', {ALERTS.read_rule(ask.name)}}
