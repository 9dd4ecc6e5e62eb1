-- The cool-downs that last: all, or those of one task and of the keys of its rate.
-- gives cooldowns
WITH
-- here clock
SELECT {CooldownRecord} FROM windlass_cooldown, clock WHERE began_at <= now AND now < ends_at
AND (CAST(:task AS text) IS NULL OR (scope = 'task' AND split_part(name, chr(9), 1) = CAST(:task AS text)))
ORDER BY scope, name LIMIT CAST(:limit AS bigint)
