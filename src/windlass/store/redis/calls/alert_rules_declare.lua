-- Stores the rules that code brings. One that is there follows the code until an operator has changed or deleted it.
-- KEYS alert_rules
-- asks rules: rows (AlertRule) as given/rule
-- gives nothing
-- with alerts
local names = {{AlertRule}}
for _, given in ipairs(ask.rules) do
    local rule = ALERTS.read_rule(given.name)
    local is_free = rule and rule.origin ~= 'operator' and rule.is_edited ~= '1' and rule.is_deleted ~= '1'
    local is_other = false
    if is_free then
        for index, name in ipairs(names) do
            local value = given[index]
            value = type(value) == 'number' and written(value) or value
            if not ALERTS.is_of_store[name] and rule[index] ~= value then is_other = true end
        end
    end
    if not rule or is_other then
        given.revision = rule and tonumber(rule.revision) + 1 or 1
        given.changed_at = now
        if rule then ALERTS.keep_silence(rule, given) end
        ALERTS.write(ALERTS.rule_key(given.name), names, given)
    end
    redis.call('ZADD', KEY.alert_rules, 0, given.name)
end
return {}
