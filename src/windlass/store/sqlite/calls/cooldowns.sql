-- The cool-downs that last: all, or those of one task and of the keys of its rate.
-- gives cooldowns
SELECT {CooldownRecord} FROM windlass_cooldown WHERE began_at <= :now AND :now < ends_at
AND (:task IS NULL OR (scope = 'task' AND (name = :task OR substr(name, 1, length(:task) + 1) = :task || char(9))))
ORDER BY scope, name LIMIT :limit
