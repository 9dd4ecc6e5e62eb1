-- What is told of a job goes with it.
DELETE FROM windlass_event WHERE seq IN (SELECT value ->> 0 FROM jsonb_each(:jobs))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_event.seq)
