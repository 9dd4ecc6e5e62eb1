-- Removes a limit with its line and its cool-down.
-- gives deleted
WITH deleted AS (
    DELETE FROM windlass_limit AS stored WHERE stored.name = CAST(:name AS text) RETURNING stored.name
), cooldown AS (
    DELETE FROM windlass_cooldown AS cooldown WHERE cooldown.scope = 'limit' AND cooldown.name = CAST(:name AS text)
), line AS (
    DELETE FROM windlass_waiter AS waiter WHERE waiter.name = CAST(:name AS text)
)
SELECT name FROM deleted
