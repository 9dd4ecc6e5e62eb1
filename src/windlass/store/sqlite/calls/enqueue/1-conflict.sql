-- An id that a different job has already is an error of the whole call.
-- :named rows (index, id, task, payload, key, until, window)
-- only with named
-- guard conflict
SELECT windlass_job.id, windlass_job.task
FROM jsonb_each(:named) AS named JOIN windlass_whole AS windlass_job ON windlass_job.id = named.value ->> 1
WHERE windlass_job.task <> named.value ->> 2 OR windlass_job.whole_payload <> named.value ->> 3
