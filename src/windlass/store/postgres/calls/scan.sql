-- The next jobs by age, from the :limit that come after :after; their sizes bound how many are moved at once.
-- gives stops
-- gives examined
WITH examined AS MATERIALIZED (
    SELECT seq FROM windlass_job WHERE seq > CAST(:after AS bigint) ORDER BY seq LIMIT CAST(:limit AS bigint)
), stop AS (
    -- The lengths in bytes of long texts are known without reading them.
    SELECT seq, id, octet_length(payload) + coalesce(octet_length(meta), 0) + coalesce(octet_length(result), 0)
        + coalesce(octet_length(errors), 0) + coalesce(octet_length(progress), 0) AS size
    FROM windlass_record
    WHERE seq = ANY (ARRAY(SELECT examined.seq FROM examined)) AND (CAST(:queue AS text) IS NULL OR queue = :queue)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(seq, id, size) ORDER BY seq), '[]') FROM stop) AS stops,
    -- How many were looked at, and which was the last.
    (SELECT json_build_array(json_build_array(count(*), max(seq))) FROM examined) AS examined
