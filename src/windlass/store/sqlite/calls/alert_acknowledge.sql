-- gives acknowledged
UPDATE windlass_alert SET state = 'acknowledged', acknowledged_at = :now, acknowledged_by = :by
WHERE id = :id AND state = 'firing'
RETURNING 1
