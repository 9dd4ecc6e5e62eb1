-- The cool-downs that last.
-- gives cooldowns
SELECT {CooldownRecord} FROM windlass_cooldown WHERE began_at <= :now AND :now < ends_at ORDER BY scope, name LIMIT :limit
