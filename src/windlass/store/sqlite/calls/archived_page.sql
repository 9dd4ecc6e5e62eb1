-- 1. jobs
-- Archived jobs of an ISO week that match, the newest first: at most :window are looked at, and no more than hold :bytes
-- together, but at least one.
-- gives jobs
WITH
-- here archive_examined
SELECT {ArchivedPlace; week = archive.week; seq = archive.seq; size = examined.size; cursor = CAST(archive.seq + 1 AS TEXT)}
FROM examined CROSS JOIN windlass_archive AS archive ON archive.week = :week AND archive.seq = examined.seq
WHERE (:task IS NULL OR archive.job ->> 'task' = :task)
AND (:queue IS NULL OR archive.job ->> 'queue' = :queue)
AND (:state IS NULL OR archive.job ->> 'state' = :state)
AND (:since IS NULL OR archive.job ->> 'finished_at' >= :since)
AND (:until IS NULL OR archive.job ->> 'finished_at' < :until)
ORDER BY archive.seq DESC

-- 2. next
-- Where the next page begins; null after the last.
-- gives next
WITH
-- here archive_examined
SELECT CASE WHEN count(*) = :window OR count(*) < (SELECT count(*) FROM newest) THEN CAST(min(seq) AS TEXT) END FROM examined
