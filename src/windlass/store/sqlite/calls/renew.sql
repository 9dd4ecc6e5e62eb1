-- 1. lease
-- Prolongs a lease. Time alone does not end it: until its jobs are rescued it may be renewed, however late.
UPDATE windlass_lease SET renewed_at = :now WHERE id = :lease AND state = 'open'

-- 2. worker
-- Says that the worker lives and what it does; a row that was deleted is written again.
INSERT INTO windlass_worker (id, name, state, lease, started_at, seen_at, info)
SELECT :worker, :name, :state, :lease, :now, :now, :info
WHERE EXISTS (SELECT 1 FROM windlass_lease WHERE id = :lease AND state = 'open')
ON CONFLICT (id) DO UPDATE SET state = :state, seen_at = :now, info = :info

-- 3. held
-- The jobs that the lease still holds: a worker that runs another one has lost it.
-- gives held
SELECT seq, fence FROM windlass_job WHERE state = 'running' AND lease = :lease

-- 4. open
-- gives open
SELECT EXISTS (SELECT 1 FROM windlass_lease WHERE id = :lease AND state = 'open')
