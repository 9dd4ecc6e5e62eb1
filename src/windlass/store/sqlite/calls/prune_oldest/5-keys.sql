-- So does its key.
DELETE FROM windlass_key WHERE id IN (SELECT value ->> 1 FROM jsonb_each(:going) WHERE value ->> 1 IS NOT NULL)
