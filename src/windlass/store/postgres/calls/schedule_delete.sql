-- Deletes a schedule and its ledger of fires.
-- gives deleted
WITH gone AS (
    DELETE FROM windlass_schedule WHERE name = :name RETURNING name
), fires AS (
    DELETE FROM windlass_fire WHERE schedule = :name AND (SELECT count(*) FROM gone) >= 0
)
SELECT 1 FROM gone
