-- The newest alerts that a filter lets through, of those with an id below `before`.
-- KEYS alerts
-- without epoch
-- asks id (with what it begins), rule, severity, since, before (each may be null), states, limit
-- gives alerts: rows (AlertRecord) as alert
-- with alerts
local PAGE = 500
local from = ask.before and '(' .. ask.before or '+'
if ask.id and not (ask.before and ask.before < ask.id .. '~') then from = '(' .. ask.id .. '~' end
local to = ask.id and '[' .. ask.id or '-'
local rows = {}
while #rows < ask.limit do
    local ids = redis.call('ZREVRANGEBYLEX', KEY.alerts, from, to, 'LIMIT', 0, PAGE)
    for _, id in ipairs(ids) do
        local alert = ALERTS.read(id)
        if alert and #rows < ask.limit and (not ask.rule or alert.rule == ask.rule)
            and (not ask.severity or alert.severity == ask.severity)
            and (not ask.since or tonumber(alert.fired_at) >= ask.since) and ALERTS.has(ask.states, alert.state) then
            rows[#rows + 1] = alert
        end
    end
    if #ids < PAGE then break end
    from = '(' .. ids[#ids]
end
return {'alerts', rows}
