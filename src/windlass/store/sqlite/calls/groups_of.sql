-- The groups that a job belongs to, by their callbacks.
-- gives groups
SELECT DISTINCT own.callback, job.id, job.task,
    (SELECT count(*) FROM windlass_member AS other WHERE other.callback = own.callback)
FROM windlass_member AS own JOIN windlass_job AS job ON job.seq = own.callback
WHERE own.member = :seq ORDER BY own.callback
