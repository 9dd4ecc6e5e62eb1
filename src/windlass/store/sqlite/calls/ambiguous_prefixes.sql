-- Of the given id prefixes, those that more than one job has; two looks into the index on ids for each.
-- gives starts
SELECT start.value FROM json_each(:starts) AS start
WHERE (
    SELECT count(*) FROM (
        SELECT 1 FROM windlass_job
        WHERE windlass_job.id >= start.value AND windlass_job.id < start.value || char(1114111) LIMIT 2)) > 1
