-- The schedules that are due, the longest overdue first: at most :limit, and no more than :bytes of what users wrote.
-- Then what time it is, when the next schedule is due, and the live versions of the code in the order in which they were
-- first seen.
-- gives schedules
-- gives next
WITH
-- here clock
, due AS MATERIALIZED (
    SELECT found.* FROM clock CROSS JOIN LATERAL (
        SELECT * FROM windlass_schedule AS schedule WHERE schedule.due_at <= clock.now
        ORDER BY schedule.due_at, schedule.name LIMIT CAST(:limit AS bigint)) AS found
), listed AS (
    SELECT due.*, row_number() OVER before AS place,
        sum(octet_length(definition) + coalesce(octet_length(declared), 0)) OVER before AS bytes
    FROM due WINDOW before AS (ORDER BY due_at, name ROWS UNBOUNDED PRECEDING)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({ScheduleRecord}) ORDER BY place), '[]')
        FROM listed WHERE bytes <= CAST(:bytes AS bigint) OR place = 1) AS schedules,
    (SELECT json_build_array(json_build_array(clock.now,
            (SELECT min(schedule.due_at) FROM windlass_schedule AS schedule WHERE schedule.due_at IS NOT NULL),
            (SELECT string_agg(live.version, ' ' ORDER BY live.first_seen, live.version)
                FROM windlass_code_version AS live WHERE abs(clock.now - live.seen_at) < CAST(:live_for AS bigint))))
        FROM clock) AS next
