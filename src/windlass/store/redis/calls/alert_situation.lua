-- All rules, the alerts that are open, and those that were resolved in the last `within` milliseconds, `limit` of each.
-- KEYS alert_rules, alerts_open, alerts_resolved
-- without epoch
-- asks within, limit
-- gives rules: rows (AlertRule); alerts: rows (AlertRecord); now: one row (milliseconds since 1970)
-- with alerts
local rows = {}
for _, id in ipairs(redis.call('HVALS', KEY.alerts_open)) do rows[#rows + 1] = ALERTS.read(id) end
local since = '(' .. written(now - ask.within)
for _, id in ipairs(redis.call('ZREVRANGEBYSCORE', KEY.alerts_resolved, '+inf', since, 'LIMIT', 0, ask.limit)) do
    rows[#rows + 1] = ALERTS.read(id)
end
return {'rules', ALERTS.rules(), 'alerts', rows, 'now', {{now}}}
