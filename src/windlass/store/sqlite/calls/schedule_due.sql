-- 1. schedules
-- The schedules that are due, the longest overdue first: at most :limit, and no more than :bytes of what users wrote.
-- gives schedules
SELECT {ScheduleRecord} FROM (
    SELECT due.*, row_number() OVER before AS place,
        sum(octet_length(definition) + coalesce(octet_length(declared), 0)) OVER before AS bytes
    FROM (SELECT * FROM windlass_schedule WHERE due_at <= :now ORDER BY due_at, name LIMIT :limit) AS due
    WINDOW before AS (ORDER BY due_at, name ROWS UNBOUNDED PRECEDING))
WHERE bytes <= :bytes OR place = 1 ORDER BY due_at, name

-- 2. next
-- What time it is, when the next schedule is due, and the live versions of the code.
-- gives next
SELECT :now, (SELECT min(due_at) FROM windlass_schedule WHERE due_at IS NOT NULL), (
    SELECT group_concat(version, ' ') FROM (
        SELECT version FROM windlass_code_version
        WHERE abs(:now - seen_at) < :live_for ORDER BY first_seen, version))
