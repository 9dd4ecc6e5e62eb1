-- Whether the lease is open, and in how many milliseconds the next other lease ends and the next job is due.
-- gives next
SELECT
    EXISTS (SELECT 1 FROM windlass_lease WHERE id = :lease AND state = 'open'),
    (SELECT min(renewed_at + ttl) FROM windlass_lease WHERE id <> :lease AND state = 'open') - :now,
    (SELECT min(run_at) FROM windlass_job WHERE state IN ('scheduled', 'retrying')) - :now
