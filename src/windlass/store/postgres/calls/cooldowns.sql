-- The cool-downs that last.
-- gives cooldowns
WITH
-- here clock
SELECT {CooldownRecord} FROM windlass_cooldown, clock WHERE began_at <= now AND now < ends_at
ORDER BY scope, name LIMIT CAST(:limit AS bigint)
