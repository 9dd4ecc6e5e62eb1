-- 1. ended
-- Ends a cool-down; the next begins as if there had been none.
-- gives ended
DELETE FROM windlass_cooldown WHERE scope = :scope AND name = :name RETURNING name

-- 2. open
-- Jobs that wait at a rate which cooled down are looked at anew.
UPDATE windlass_rate_gate SET opens_at = :now WHERE :scope = 'task' AND name = :name AND opens_at > :now
