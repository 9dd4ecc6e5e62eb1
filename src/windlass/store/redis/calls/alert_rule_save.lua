-- Stores a new rule of an operator (`revision` 0), or a change of the one that has this revision.
-- KEYS alert_rules
-- asks revision, most (how many rules there may be); rules: rows (AlertRule) as given/rule, one of them
-- gives saved: the rule, unless it was not stored
-- with alerts
local given = unpack(ask.rules)
local rule = ALERTS.read_rule(given.name)
local is_deleted = rule and rule.is_deleted == '1'
local may
if ask.revision == 0 then
    may = is_deleted or (not rule and redis.call('ZCARD', KEY.alert_rules) < ask.most)
else
    may = rule and not is_deleted and tonumber(rule.revision) == ask.revision
end
if not may then return {'saved', {}} end
given.origin = rule and rule.origin or given.origin
given.is_edited = 1
given.revision = rule and tonumber(rule.revision) + 1 or 1
given.changed_at = now
given.is_deleted = 0
if rule then ALERTS.keep_silence(rule, given) end
ALERTS.write(ALERTS.rule_key(given.name), {{AlertRule}}, given)
redis.call('ZADD', KEY.alert_rules, 0, given.name)
return {'saved', {ALERTS.read_rule(given.name)}}
