-- Writes down things that happened and belong to no job.
-- :notices rows (worker, detail)
WITH clock AS (
    SELECT coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)) AS now
)
INSERT INTO windlass_event (at, kind, worker, detail)
SELECT clock.now, CAST(:kind AS text), value ->> 0, value ->> 1
FROM clock, jsonb_array_elements(CAST(:notices AS jsonb)) WITH ORDINALITY AS noticed (value, place)
ORDER BY place
