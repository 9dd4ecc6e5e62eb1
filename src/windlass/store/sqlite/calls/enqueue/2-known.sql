-- Which ids are there already: their jobs are reported, not stored again.
-- :named rows (index, id, task, payload, key, until, window)
-- only with named
-- gives known
SELECT named.value ->> 0 FROM jsonb_each(:named) AS named
WHERE EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = named.value ->> 1)
