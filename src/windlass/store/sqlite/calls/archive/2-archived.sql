-- gives archived
SELECT seq FROM windlass_archive WHERE (week, seq) IN (SELECT value ->> 1, value ->> 0 FROM jsonb_each(:weeks))
