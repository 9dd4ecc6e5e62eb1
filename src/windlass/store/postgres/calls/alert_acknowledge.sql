-- Notes that a person has seen an alert that fires.
-- gives acknowledged
WITH
-- here clock
UPDATE windlass_alert SET state = 'acknowledged', acknowledged_at = clock.now, acknowledged_by = CAST(:by AS text)
FROM clock WHERE id = CAST(:id AS text) AND state = 'firing'
RETURNING 1
