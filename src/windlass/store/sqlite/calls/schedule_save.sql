-- 1. saved
-- Which of the schedules still have the revision that they were read with; 0 where there was none.
-- :schedules rows (ScheduleRecord) as given
-- binds saved
SELECT json_group_array({given.name}) FROM jsonb_each(:schedules) AS given
WHERE {given.revision} = coalesce((SELECT revision FROM windlass_schedule WHERE name = {given.name}), 0)

-- 2. skip
-- A slot that is kept back no more, because its schedule was resumed, makes no job.
-- :schedules rows (ScheduleRecord) as given
UPDATE windlass_fire SET outcome = 'skipped'
WHERE outcome = 'buffered' AND (schedule, planned_at) IN (
    SELECT schedule.name, schedule.held_at
    FROM jsonb_each(:schedules) AS given JOIN windlass_schedule AS schedule ON schedule.name = {given.name}
    WHERE {given.held_at} IS NULL AND schedule.name IN (SELECT value FROM json_each(:saved)))

-- 3. store
-- :schedules rows (ScheduleRecord) as given
INSERT INTO windlass_schedule ({ScheduleRecord})
SELECT {given.ScheduleRecord; revision = ({given.revision}) + 1}
FROM jsonb_each(:schedules) AS given
WHERE {given.name} IN (SELECT value FROM json_each(:saved))
ON CONFLICT (name) DO UPDATE SET {excluded.ScheduleRecord; assigned; without name}

-- 4. saved
-- gives saved
SELECT value FROM json_each(:saved)
