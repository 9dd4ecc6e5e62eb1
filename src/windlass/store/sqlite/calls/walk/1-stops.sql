-- The next jobs by age, from the :limit that come after :after; their sizes bound how many are moved at once.
-- gives stops
SELECT seq, id, length(payload) + coalesce(length(meta), 0) + coalesce(length(result), 0) + coalesce(length(errors), 0)
    + coalesce(length(progress), 0)
FROM (SELECT * FROM windlass_job WHERE seq > :after ORDER BY seq LIMIT :limit)
WHERE :queue IS NULL OR queue = :queue ORDER BY seq
