-- Gives one manually claimed job more time, under its fence.
-- gives extended
UPDATE windlass_lease SET renewed_at = :now, ttl = :ttl
WHERE state = 'open' AND id = (
    SELECT lease FROM windlass_job
    WHERE seq = :seq AND fence = :fence AND state = 'running' AND instr(lease, ':') > 0)
RETURNING id
