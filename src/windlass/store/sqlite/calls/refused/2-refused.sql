-- Those that were refused indeed. A job that still carries the fence was ended by an earlier try of the same write.
-- gives refused
SELECT value ->> 0 FROM jsonb_each(:writes) AS refused
WHERE NOT EXISTS (SELECT 1 FROM windlass_job WHERE seq = refused.value ->> 0 AND fence = refused.value ->> 1)
