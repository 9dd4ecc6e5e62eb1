-- How many were looked at, and which was the last.
-- gives looked
SELECT count(*), max(seq) FROM (SELECT seq FROM windlass_job WHERE seq > :after ORDER BY seq LIMIT :limit)
