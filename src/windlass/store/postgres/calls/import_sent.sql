-- Keeps events of another store; one that is newer here stays.
-- :events rows (SentEvent)
INSERT INTO windlass_sent ({SentEvent})
SELECT {given.SentEvent} FROM (
    SELECT {events.SentEvent; named; cast numbers as bigint} FROM jsonb_array_elements(CAST(:events AS jsonb))
) AS given
WHERE NOT EXISTS (
    SELECT 1 FROM windlass_sent AS kept WHERE kept.name = given.name AND kept.sent_at >= given.sent_at)
