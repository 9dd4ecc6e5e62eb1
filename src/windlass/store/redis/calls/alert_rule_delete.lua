-- Deletes a rule. One that code has brought is kept, so that code does not bring it back.
-- KEYS alert_rules
-- asks name
-- gives deleted: a row, where there was one; row (AlertRule) as rule
-- with alerts
local rule = ALERTS.read_rule(ask.name)
if not rule or rule.is_deleted == '1' then return {'deleted', {}} end
if rule.origin == 'operator' then
    redis.call('DEL', ALERTS.rule_key(ask.name))
    redis.call('ZREM', KEY.alert_rules, ask.name)
else
    redis.call(
        'HSET', ALERTS.rule_key(ask.name), 'is_deleted', '1', 'changed_at', stamp,
        'revision', written(tonumber(rule.revision) + 1))
    redis.call('HDEL', ALERTS.rule_key(ask.name), 'silenced_until', 'silenced_by', 'silenced_reason')
end
return {'deleted', {{1}}}
