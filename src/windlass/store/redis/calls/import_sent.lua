-- Keeps events of another store; one that is newer here stays.
-- KEYS sent, sent_new
-- asks events: rows (SentEvent) as event
-- with waits
for _, event in ipairs(ask.events) do
    local kept = tonumber(redis.call('HGET', event_key(event.name), 'sent_at'))
    if not kept or kept < event.sent_at then
        keep_event(event.name, event.sent_at, event.value)
    end
end
return {}
