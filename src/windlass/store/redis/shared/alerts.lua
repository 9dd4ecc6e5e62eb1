-- Alerts, their rules and their deliveries: a hash for each. A table, because a script has few names of its own.
local ALERTS = {}

-- Writes the fields of a row that are not null, in the place of what was there.
function ALERTS.write(key, names, row)
    local fields = {}
    for index, name in ipairs(names) do
        local value = row[index]
        if value ~= nil and value ~= false then
            fields[#fields + 1] = name
            fields[#fields + 1] = type(value) == 'number' and written(value) or value
        end
    end
    redis.call('DEL', key)
    redis.call('HSET', key, unpack(fields))
end

function ALERTS.key(id) return prefix .. 'alert:' .. id end
function ALERTS.rule_key(name) return prefix .. 'alert_rule:' .. name end
function ALERTS.delivery_key(number) return prefix .. 'delivery:' .. number end

-- What marks the one open alert of a rule and a subject.
function ALERTS.mark(rule, subject) return rule .. '\t' .. subject end

-- An alert as a row of AlertRecord, or nil; row (AlertRecord) as alert
function ALERTS.read(id)
    local alert = redis.call('HMGET', ALERTS.key(id), {AlertRecord})
    return alert.id and alert or nil
end

-- A rule as a row of AlertRule, or nil; row (AlertRule) as rule
function ALERTS.read_rule(name)
    local rule = redis.call('HMGET', ALERTS.rule_key(name), {AlertRule})
    return rule.name and rule or nil
end

-- What of a rule is not said by code.
ALERTS.is_of_store =
    {revision = true, changed_at = true, silenced_until = true, silenced_by = true, silenced_reason = true}

-- A rule that is written anew keeps its silence; row (AlertRule) as rule/given
function ALERTS.keep_silence(rule, given)
    given.silenced_until, given.silenced_by = rule.silenced_until, rule.silenced_by
    given.silenced_reason = rule.silenced_reason
end

-- All rules by name. Needs KEY.alert_rules.
function ALERTS.rules()
    local rows = {}
    for _, name in ipairs(redis.call('ZRANGE', KEY.alert_rules, 0, -1)) do rows[#rows + 1] = ALERTS.read_rule(name) end
    return rows
end

-- A delivery as a row of Delivery, or nil; row (Delivery) as delivery
function ALERTS.read_delivery(number)
    local delivery = redis.call('HMGET', ALERTS.delivery_key(number), {Delivery})
    return delivery.number and delivery or nil
end

-- Whether a list is empty or has this text.
function ALERTS.has(texts, text)
    for _, one in ipairs(texts) do
        if one == text then return true end
    end
    return #texts == 0
end
