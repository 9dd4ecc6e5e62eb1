-- A row if any job waits, or waited, for another.
-- gives exist
SELECT 1 FROM windlass_edge LIMIT 1
