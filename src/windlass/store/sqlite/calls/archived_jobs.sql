-- Archived jobs, whole, as they were written.
-- :places rows (week, seq) as place
-- gives jobs
SELECT archive.week, archive.seq, archive.job
FROM jsonb_each(:places) AS place CROSS JOIN windlass_archive AS archive
ON archive.week = {place.week} AND archive.seq = {place.seq}
