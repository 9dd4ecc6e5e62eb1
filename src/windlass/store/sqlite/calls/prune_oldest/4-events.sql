-- What is told of a job goes with it.
DELETE FROM windlass_event WHERE seq IN (SELECT value ->> 0 FROM jsonb_each(:going))
