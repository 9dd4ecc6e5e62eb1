-- The unusual in a job's life, in order.
-- without epoch
-- asks seq
-- gives events: rows (EventRecord)
-- with events
local texts, rows = redis.call('LRANGE', events_key(written(ask.seq)), 0, -1), {}
for index, text in ipairs(texts) do rows[index] = event_row(text) end
return {'events', rows}
