-- Runs that ended while nobody could have deleted their jobs but behind the store's back: the lease of a claim by hand is
-- still open, or all leases of the worker are. One that has lost a lease may have lost the job before it was deleted.
-- :writes rows (seq, fence, what)
-- :worker whose writes they were
-- gives lost
SELECT value ->> 0, NULL, 'running' FROM jsonb_each(:writes) AS refused
WHERE value ->> 2 NOT IN ('extend', 'progress')
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE seq = refused.value ->> 0)
AND ('open' = (
        SELECT min(lease.state) FROM windlass_lease AS lease JOIN windlass_worker AS worker ON worker.id = lease.worker
        WHERE worker.name = :worker)
    OR EXISTS (
        SELECT 1 FROM windlass_lease
        WHERE state = 'open' AND id LIKE '%:' || (refused.value ->> 0) || ':' || (refused.value ->> 1)))
