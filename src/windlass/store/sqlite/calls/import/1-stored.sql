-- How many of the jobs are new here.
-- gives stored
SELECT count(*) FROM jsonb_each(:jobs)
WHERE value ->> 1 NOT IN (SELECT id FROM windlass_job WHERE id IN (SELECT value ->> 1 FROM jsonb_each(:jobs)))
