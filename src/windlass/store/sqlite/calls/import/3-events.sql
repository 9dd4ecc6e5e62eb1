-- What happened to them, in order. A job that has a past here was stored together with it.
-- :events rows (id, at, kind, worker, fence, detail)
-- only with events
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT job.seq, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
FROM jsonb_each(:events) AS event JOIN windlass_job AS job ON job.id = event.value ->> 0
WHERE NOT EXISTS (SELECT 1 FROM windlass_event AS known WHERE known.seq = job.seq)
ORDER BY event.key
