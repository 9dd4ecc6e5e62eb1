-- Which job stands behind each explicit id or unique key now: the new one, or the one that was there before.
-- :named rows (index, id, task, payload, key, until, window)
-- only with named
-- gives found
SELECT named.value ->> 0, windlass_job.id, windlass_job.state
FROM jsonb_each(:named) AS named JOIN windlass_job ON windlass_job.id = coalesce(
    (SELECT id FROM windlass_job WHERE id = named.value ->> 1),
    (SELECT id FROM windlass_key WHERE windlass_key.key = named.value ->> 4))
