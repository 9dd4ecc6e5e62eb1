-- Stores rules of another store, unless an operator has changed the one of that name here since.
-- KEYS alert_rules
-- asks rules: rows (AlertRule) as given/rule
-- gives nothing
-- with alerts
for _, given in ipairs(ask.rules) do
    local rule = ALERTS.read_rule(given.name)
    local is_free = rule and rule.origin ~= 'operator' and rule.is_edited ~= '1' and rule.is_deleted ~= '1'
    if not rule or is_free or tonumber(rule.changed_at) < given.changed_at then
        given.revision = rule and tonumber(rule.revision) + 1 or 1
        ALERTS.write(ALERTS.rule_key(given.name), {{AlertRule}}, given)
        redis.call('ZADD', KEY.alert_rules, 0, given.name)
    end
end
return {}
