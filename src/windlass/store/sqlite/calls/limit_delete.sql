-- 1. line
DELETE FROM windlass_waiter WHERE name = :name

-- 2. cooldown
DELETE FROM windlass_cooldown WHERE scope = 'limit' AND name = :name

-- 3. limit
-- gives deleted
DELETE FROM windlass_limit WHERE name = :name RETURNING name
