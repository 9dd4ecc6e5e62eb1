-- Those of many awaited jobs that are finished, and those that are not there at all (a null state).
-- gives jobs as json
SELECT CAST(json_group_array(json_array(wanted.value, state, reason, result, errors, task)) AS BLOB)
FROM jsonb_each(:ids) AS wanted LEFT JOIN windlass_job ON windlass_job.id = wanted.value
WHERE state IS NULL OR state IN ('completed', 'failed', 'cancelled')
