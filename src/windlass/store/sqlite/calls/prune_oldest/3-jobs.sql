-- Removes them.
DELETE FROM windlass_job WHERE seq IN (SELECT value ->> 0 FROM jsonb_each(:going))
