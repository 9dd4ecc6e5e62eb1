-- Ends a cool-down; the next begins as if there had been none. Jobs that wait at a rate which cooled down are looked at anew.
-- gives ended
WITH
-- here clock
, ended AS (
    DELETE FROM windlass_cooldown WHERE scope = :scope AND name = :name RETURNING name
), opened AS (
    UPDATE windlass_rate_gate AS gate SET opens_at = clock.now FROM clock
    WHERE CAST(:scope AS text) = 'task' AND gate.name = :name AND gate.opens_at > clock.now
)
SELECT name FROM ended
