-- Empties a bucket.
-- gives drained
UPDATE windlass_limit SET level = 0, filled_at = :now WHERE name = :name RETURNING name
