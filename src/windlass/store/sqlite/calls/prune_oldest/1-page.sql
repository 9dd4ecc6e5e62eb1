-- The oldest finished jobs of one queue and state behind the position (:after_at, :after_seq) that are older than :age,
-- or not younger than the position (:beyond_at, :beyond_seq), at most :limit: how many bytes they hold together, and
-- rows (seq, id if it has a key, finished_at, size).
-- binds page
SELECT json_array(
    sum(size), json_group_array(json_array(seq, iif(unique_key IS NULL, NULL, id), finished_at, size)))
FROM (
    SELECT seq, id, unique_key, finished_at,
        payload_size + coalesce(octet_length(meta), 0) + coalesce(octet_length(result), 0)
            + coalesce(octet_length(errors), 0) + coalesce(octet_length(progress), 0) AS size
    FROM windlass_whole
    WHERE state IN ('completed', 'failed', 'cancelled') AND state = :state AND queue = :queue
    -- bounds the walk through the index; what follows is exact
    AND finished_at BETWEEN :after_at AND max(:now - :age - 1, :beyond_at)
    AND (finished_at, seq) > (:after_at, :after_seq)
    AND (finished_at < :now - :age OR (finished_at, seq) <= (:beyond_at, :beyond_seq))
    ORDER BY finished_at, seq LIMIT :limit)
