-- Archived jobs, whole, as they were written.
-- :places rows (week, seq) as place
-- gives jobs
SELECT archive.week, archive.seq, archive.job
FROM jsonb_array_elements(CAST(:places AS jsonb)) AS place CROSS JOIN LATERAL (
    SELECT * FROM windlass_archive AS archive
    WHERE archive.week = ({place.week}) COLLATE "C" AND archive.seq = CAST({place.seq} AS bigint) LIMIT 1) AS archive
