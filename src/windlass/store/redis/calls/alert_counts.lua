-- How many alerts are open, by state and severity.
-- KEYS alerts_open
-- without epoch
-- gives counts: rows (state, severity, how many); row (AlertRecord) as alert
-- with alerts
local places, rows = {}, {}
for _, id in ipairs(redis.call('HVALS', KEY.alerts_open)) do
    local alert = ALERTS.read(id)
    if alert then
        local name = alert.state .. ' ' .. alert.severity
        if not places[name] then
            rows[#rows + 1] = {alert.state, alert.severity, 0}
            places[name] = #rows
        end
        local row = rows[places[name]] -- row (state, severity, count) as row
        row.count = row.count + 1
    end
end
return {'counts', rows}
