-- Gives the lead up; the term stays, so that it can only grow. A stale leader gives up nothing.
-- gives resigned
UPDATE windlass_leader SET renewed_at = 0, holder = ''
WHERE duty = :duty AND holder = :holder AND term = CAST(:term AS bigint)
RETURNING duty
