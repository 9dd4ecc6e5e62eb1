-- 1. note
-- A write under an old fence changed nothing; this says so on the job it was meant for.
-- :writes rows (seq, fence, what) as refused
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT seq, :now, 'refused', :worker, {refused.fence}, json_object('write', {refused.what})
FROM jsonb_each(:writes) AS refused JOIN windlass_job ON seq = {refused.seq} AND fence <> {refused.fence}

-- 2. refused
-- Those that were refused indeed. A job that still carries the fence was ended by an earlier try of the same write.
-- :writes rows (seq, fence, what) as refused
-- gives refused
SELECT {refused.seq} FROM jsonb_each(:writes) AS refused
WHERE NOT EXISTS (SELECT 1 FROM windlass_job WHERE seq = {refused.seq} AND fence = {refused.fence})

-- 3. vanished
-- Runs that ended while their jobs could only have been deleted behind the store's back: the lease of a manual claim is
-- still open, or all leases of the worker are. One that has lost a lease may have lost the job before it was deleted.
-- :writes rows (seq, fence, what) as refused
-- :worker whose writes they were
-- gives vanished
SELECT {refused.seq}, NULL, 'running' FROM jsonb_each(:writes) AS refused
WHERE {refused.what} NOT IN ('extend', 'progress')
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE seq = {refused.seq})
AND ('open' = (
        SELECT min(lease.state) FROM windlass_lease AS lease JOIN windlass_worker AS worker ON worker.id = lease.worker
        WHERE worker.name = :worker)
    OR EXISTS (
        SELECT 1 FROM windlass_lease
        WHERE state = 'open' AND id LIKE '%:' || ({refused.seq}) || ':' || ({refused.fence})))
