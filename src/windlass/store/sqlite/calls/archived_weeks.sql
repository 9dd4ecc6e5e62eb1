-- Those of the given ISO weeks that have jobs in the archive.
-- gives weeks
SELECT wanted.value FROM json_each(:weeks) AS wanted
WHERE EXISTS (SELECT 1 FROM windlass_archive AS archive WHERE archive.week = wanted.value)
