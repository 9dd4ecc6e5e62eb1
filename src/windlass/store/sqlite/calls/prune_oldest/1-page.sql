-- The oldest finished jobs of one queue and state behind the position (:after_at, :after_seq) that are older than :age,
-- or not younger than the position (:beyond_at, :beyond_seq): at most :limit, and as many as hold :bytes together, but
-- at least one. Rows (seq, id if it has a key, finished_at, whether there may be more behind it).
-- binds page
SELECT json_group_array(json_array(
    seq, iif(unique_key IS NULL, NULL, id), finished_at, json(iif(number < looked OR looked = :limit, 'true', 'false'))))
FROM (
    SELECT seq, id, unique_key, finished_at, sum(size) OVER before AS size, row_number() OVER before AS number,
        count(*) OVER () AS looked
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
    WINDOW before AS (ORDER BY finished_at, seq ROWS UNBOUNDED PRECEDING)
    ORDER BY number)
WHERE size <= :bytes OR number = 1
