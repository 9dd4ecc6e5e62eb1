-- Keeps events of another store; one that is newer here stays.
-- :events rows (SentEvent)
INSERT INTO windlass_sent ({SentEvent}, is_new) SELECT {events.SentEvent}, 1 FROM jsonb_each(:events) WHERE true
ON CONFLICT (name) DO UPDATE SET sent_at = excluded.sent_at, value = excluded.value, is_new = 1
WHERE windlass_sent.sent_at < excluded.sent_at
