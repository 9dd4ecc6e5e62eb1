-- 1. stops
-- The next jobs by age, from the :limit that come after :after; their sizes bound how many are moved at once.
-- gives stops
SELECT seq, id,
    -- here bytes_held
FROM (SELECT * FROM windlass_whole WHERE seq > :after ORDER BY seq LIMIT :limit)
WHERE :queue IS NULL OR queue = :queue ORDER BY seq

-- 2. examined
-- How many were looked at, and which was the last.
-- gives examined
SELECT count(*), max(seq) FROM (SELECT seq FROM windlass_job WHERE seq > :after ORDER BY seq LIMIT :limit)
