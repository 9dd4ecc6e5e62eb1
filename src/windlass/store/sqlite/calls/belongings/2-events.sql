-- What happened to them, in order.
-- gives events
SELECT job.id, event.at, event.kind, event.worker, event.fence, event.detail
FROM jsonb_each(:ids) AS wanted JOIN windlass_job AS job ON job.id = wanted.value
JOIN windlass_event AS event ON event.seq = job.seq
ORDER BY event.number
