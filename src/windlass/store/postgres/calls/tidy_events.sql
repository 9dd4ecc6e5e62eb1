-- Removes old events of jobs that are kept, and the oldest beyond a bound, :limit of each at a time.
-- gives old
-- gives many
--
-- Takes no lock that another transaction has, so that it never waits; what it skips goes next time.
WITH
-- here clock
, old AS MATERIALIZED (
    SELECT event.number FROM windlass_event AS event
    WHERE event.at < (SELECT now FROM clock) - 2592000000
    ORDER BY event.at LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), many AS MATERIALIZED (
    SELECT event.number FROM windlass_event AS event
    WHERE event.number <= (SELECT max(number) FROM windlass_event) - 1000000
    ORDER BY event.number LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM windlass_event WHERE number = ANY (ARRAY(
        SELECT old.number FROM old UNION SELECT many.number FROM many))
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM old) AS old,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM many) AS many
