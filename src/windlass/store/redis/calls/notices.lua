-- The newest events that belong to no job, such as what was cleaned, the newest first.
-- KEYS notices
-- without epoch
-- asks limit; age: none that is older, or null
-- gives events: rows (EventRecord) as row
-- with events
local texts, rows = redis.call('LRANGE', KEY.notices, -ask.limit, -1), {}
for index = #texts, 1, -1 do
    local row = event_row(texts[index])
    if not ask.age or row.at >= now - ask.age then rows[#rows + 1] = row end
end
return {'events', rows}
