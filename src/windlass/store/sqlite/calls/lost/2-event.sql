-- What was told of them goes as well.
DELETE FROM windlass_event WHERE seq IN (SELECT value ->> 0 FROM jsonb_each(:lost))
