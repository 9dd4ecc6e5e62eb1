-- 1. keys
-- The unique keys that jobs hold.
-- gives keys
SELECT {windlass_key.HeldKey}
FROM jsonb_each(:ids) AS wanted JOIN windlass_key ON windlass_key.id = wanted.value
ORDER BY windlass_key.key

-- 2. events
-- What happened to them, in order.
-- gives events
SELECT {event.MovedEvent; id = job.id}
FROM jsonb_each(:ids) AS wanted JOIN windlass_job AS job ON job.id = wanted.value
JOIN windlass_event AS event ON event.seq = job.seq
ORDER BY event.number

-- 3. stepped
-- Those of them that have steps.
-- gives stepped
SELECT job.seq, job.id FROM jsonb_each(:ids) AS wanted JOIN windlass_job AS job ON job.id = wanted.value
WHERE job.has_steps = 1 ORDER BY job.seq
