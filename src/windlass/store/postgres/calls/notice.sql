-- Writes down things that happened and belong to no job.
-- :notices rows (worker, detail)
WITH
-- here clock
INSERT INTO windlass_event (at, kind, worker, detail)
SELECT clock.now, CAST(:kind AS text), {notices.worker}, {notices.detail}
FROM clock, jsonb_array_elements(CAST(:notices AS jsonb)) WITH ORDINALITY AS noticed (value, place)
ORDER BY place
