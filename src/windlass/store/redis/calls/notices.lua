-- The newest events that belong to no job, such as what was cleaned, the newest first.
-- KEYS notices
-- without epoch
-- asks limit
-- gives events: rows (at, kind, worker, fence, detail)
-- with events
local texts, rows = redis.call('LRANGE', KEY.notices, -ask.limit, -1), {}
for index = #texts, 1, -1 do rows[#rows + 1] = event_row(texts[index]) end
return {'events', rows}
