-- 1. schedules
-- A page of schedules by name.
-- :names those that are asked for, or null for all; :task of one task, or null
-- gives schedules
WITH
-- here schedules_page
SELECT {ScheduleRecord} FROM listed ORDER BY name

-- 2. page
-- What time it is, and the name behind which the next page begins; null at the end.
-- gives page
WITH
-- here schedules_page
SELECT :now, (
    SELECT last FROM (SELECT max(name) AS last FROM listed)
    WHERE EXISTS (
        SELECT 1 FROM windlass_schedule
        WHERE name > last AND (:task IS NULL OR task = :task)
        AND (:names IS NULL OR name IN (SELECT value FROM jsonb_each(:names)))))
