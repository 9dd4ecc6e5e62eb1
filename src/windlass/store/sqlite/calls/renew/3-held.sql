-- The jobs that the lease still holds: a worker that runs another one has lost it.
-- gives held
SELECT seq, fence FROM windlass_job WHERE state = 'running' AND lease = :lease
