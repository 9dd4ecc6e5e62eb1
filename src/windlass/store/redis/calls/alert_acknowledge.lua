-- Notes that a person has seen an alert that fires.
-- KEYS counts
-- asks id, by
-- gives acknowledged: a row, where it does; row (AlertRecord) as alert
-- with allow_oom, alerts
local alert = ALERTS.read(ask.id)
if not alert or alert.state ~= 'firing' then return {'acknowledged', {}} end
redis.call(
    'HSET', ALERTS.key(ask.id), 'state', 'acknowledged', 'acknowledged_at', stamp, 'acknowledged_by', ask.by)
return {'acknowledged', {{1}}}
