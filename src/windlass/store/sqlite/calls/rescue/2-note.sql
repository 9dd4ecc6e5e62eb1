-- Leaves a trace of each rescue that 3-free is going to make.
-- :endings as in 3-free
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT windlass_job.seq, :now, 'rescued', worker, windlass_job.fence, json_patch(
    json_object('by', :by, 'started', json(iif(started_at IS NULL, 'false', 'true'))),
    -- nothing where no job is held responsible for the loss
    json_object('blamed', (
        SELECT culprit.id FROM windlass_lease JOIN windlass_job AS culprit ON culprit.seq = windlass_lease.blamed
        WHERE windlass_lease.id = windlass_job.lease)))
FROM jsonb_each(:endings) AS ending JOIN windlass_job ON windlass_job.seq = ending.value ->> 0
WHERE windlass_job.fence = ending.value ->> 1 AND state = 'running' AND (started_at IS NOT NULL) = ending.value ->> 12
AND NOT EXISTS (
    SELECT 1 FROM windlass_lease WHERE id = windlass_job.lease AND state = 'open')
ORDER BY windlass_job.seq
