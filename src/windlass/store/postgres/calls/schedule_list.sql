-- A page of schedules by name: at most :limit, and no more than :bytes of what users wrote.
-- :names those that are asked for, or null for all; :task of one task, or null
-- gives schedules
-- gives page
WITH
-- here clock
, wanted AS MATERIALIZED (
    SELECT schedule.* FROM windlass_schedule AS schedule
    WHERE schedule.name > CAST(:after AS text) AND (CAST(:task AS text) IS NULL OR schedule.task = :task)
    AND (CAST(:names AS jsonb) IS NULL
        OR schedule.name = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:names AS jsonb)))))
    -- one more than asked for tells whether there is more
    ORDER BY schedule.name LIMIT CAST(:limit AS bigint) + 1
), listed AS MATERIALIZED (
    SELECT * FROM (
        SELECT wanted.*, row_number() OVER before AS place,
            sum(octet_length(definition) + coalesce(octet_length(declared), 0)) OVER before AS bytes
        FROM wanted WINDOW before AS (ORDER BY name ROWS UNBOUNDED PRECEDING)) AS measured
    WHERE place <= CAST(:limit AS bigint) AND (bytes <= CAST(:bytes AS bigint) OR place = 1)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({ScheduleRecord}) ORDER BY name), '[]') FROM listed) AS schedules,
    (SELECT json_build_array(json_build_array(clock.now, (
        SELECT max(listed.name) FROM listed HAVING count(*) < (SELECT count(*) FROM wanted))))
        FROM clock) AS page
