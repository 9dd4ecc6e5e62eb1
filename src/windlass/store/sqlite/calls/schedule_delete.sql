-- 1. fires
-- The ledger goes with its schedule.
DELETE FROM windlass_fire WHERE schedule = :name

-- 2. schedule
-- gives deleted
DELETE FROM windlass_schedule WHERE name = :name RETURNING 1
