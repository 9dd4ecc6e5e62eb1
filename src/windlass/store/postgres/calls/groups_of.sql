-- The groups that a job belongs to, by their callbacks.
-- gives groups
SELECT own.callback, job.id, job.task,
    (SELECT count(*) FROM windlass_member AS other WHERE other.callback = own.callback)
FROM (
    SELECT DISTINCT own.callback FROM windlass_member AS own WHERE own.member = CAST(:seq AS bigint)
) AS own CROSS JOIN LATERAL (
    SELECT job.id, job.task FROM windlass_job AS job WHERE job.seq = own.callback OFFSET 0) AS job
ORDER BY own.callback
