-- The events that are kept for jobs, `limit` of them behind the first `offset`.
-- KEYS sent
-- without epoch
-- asks offset, limit
-- gives sent: rows (SentEvent)
-- with waits
local rows = {}
for _, name in ipairs(redis.call('ZRANGE', KEY.sent, ask.offset, ask.offset + ask.limit - 1)) do
    local event = redis.call('HMGET', event_key(name), {event: sent_at, value})
    rows[#rows + 1] = {SentEvent; name = name; sent_at = tonumber(event.sent_at) or 0; value = event.value}
end
return {'sent', rows}
