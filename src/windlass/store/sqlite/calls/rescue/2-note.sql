-- Leaves a trace of each rescue that 3-free is going to make.
-- :endings as in cycle/3-finish
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT windlass_job.seq, :now, 'rescued', worker, windlass_job.fence, json_object(
    'by', :by, 'started', json(iif(started_at IS NULL, 'false', 'true')))
FROM jsonb_each(:endings) AS ending JOIN windlass_job ON windlass_job.seq = ending.value ->> 0
WHERE windlass_job.fence = ending.value ->> 1 AND state = 'running' AND NOT EXISTS (
    SELECT 1 FROM windlass_lease WHERE id = windlass_job.lease AND state = 'open')
ORDER BY windlass_job.seq
