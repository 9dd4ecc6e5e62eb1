-- Records events of the store, which belong to no job.
-- :events rows (worker, detail)
WITH
-- here clock
INSERT INTO windlass_event (at, kind, worker, detail)
SELECT clock.now, CAST(:kind AS text), {events.worker}, {events.detail}
FROM clock, jsonb_array_elements(CAST(:events AS jsonb)) WITH ORDINALITY AS noticed (value, place)
ORDER BY place
