-- Empties a bucket.
-- gives drained
WITH
-- here bucket
UPDATE windlass_limit AS stored SET level = 0, filled_at = bucket.now FROM bucket WHERE stored.name = bucket.name
RETURNING stored.name
