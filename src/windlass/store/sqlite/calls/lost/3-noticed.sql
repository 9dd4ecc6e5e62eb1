-- gives noticed
SELECT value ->> 0, value ->> 1, value ->> 2 FROM jsonb_each(:lost)
