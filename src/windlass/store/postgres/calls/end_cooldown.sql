-- Ends a cool-down; the next begins as if there had been none.
-- gives ended
DELETE FROM windlass_cooldown WHERE scope = :scope AND name = :name RETURNING name
