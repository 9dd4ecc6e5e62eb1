-- Stores schedules, each if it still has the revision that it was read with; 0 where there was none.
-- :schedules rows (ScheduleRecord) as given
-- gives saved
--
-- A row that another transaction has in hand is locked before it is compared, and compared as it is then.
WITH changed AS MATERIALIZED (
    SELECT value FROM jsonb_array_elements(CAST(:schedules AS jsonb)) AS given
    WHERE CAST({given.revision} AS bigint) > 0
), locked AS MATERIALIZED (
    SELECT schedule.name, schedule.held_at, {given.held_at} AS stays_held
    FROM windlass_schedule AS schedule JOIN changed AS given
    ON schedule.name = {given.name} AND schedule.revision = CAST({given.revision} AS bigint)
    ORDER BY schedule.name FOR UPDATE OF schedule
), skipped AS (
    -- A slot that is kept back no more, because its schedule was resumed, makes no job.
    UPDATE windlass_fire AS fire SET outcome = 'skipped' FROM locked
    WHERE fire.schedule = locked.name AND fire.planned_at = locked.held_at AND fire.outcome = 'buffered'
    AND locked.stays_held IS NULL
)
INSERT INTO windlass_schedule AS schedule ({ScheduleRecord})
SELECT {given.ScheduleRecord; cast numbers as bigint; revision = CAST({given.revision} AS bigint) + 1}
FROM jsonb_array_elements(CAST(:schedules AS jsonb)) AS given
WHERE CAST({given.revision} AS bigint) = 0 OR {given.name} IN (SELECT locked.name FROM locked)
ORDER BY ({given.name}) COLLATE "C"
ON CONFLICT (name) DO UPDATE SET {excluded.ScheduleRecord; assigned; without name}
-- A new one whose name was taken meanwhile is not stored.
WHERE schedule.revision = excluded.revision - 1
RETURNING schedule.name
