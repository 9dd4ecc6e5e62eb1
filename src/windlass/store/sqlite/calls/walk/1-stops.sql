-- The next jobs by age, from the :limit that come after :after; their sizes bound how many are moved at once.
-- gives stops
SELECT seq, id, octet_length(payload) + coalesce(octet_length(meta), 0) + coalesce(octet_length(result), 0)
    + coalesce(octet_length(errors), 0) + coalesce(octet_length(progress), 0)
FROM (SELECT * FROM windlass_job WHERE seq > :after ORDER BY seq LIMIT :limit)
WHERE :queue IS NULL OR queue = :queue ORDER BY seq
