-- 1. page
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

-- 2. going
-- As many of them as hold :bytes together, but at least one: nearly always all, and then nobody has to add up.
-- binds going
SELECT CASE WHEN :page ->> 0 <= :bytes THEN :page -> 1 ELSE (
    SELECT json_group_array(json(value)) FROM (
        SELECT key, value, sum(value ->> 3) OVER (ORDER BY key) AS size FROM json_each(:page, '$[1]'))
    WHERE size <= :bytes OR key = 0) END

-- 3. jobs
-- Removes them.
DELETE FROM windlass_job WHERE seq IN (SELECT value ->> 0 FROM jsonb_each(:going))

-- 4. events
-- What is told of a job goes with it.
DELETE FROM windlass_event WHERE seq IN (SELECT value ->> 0 FROM jsonb_each(:going))

-- 5. keys
-- So does its key.
DELETE FROM windlass_key WHERE id IN (SELECT value ->> 1 FROM jsonb_each(:going) WHERE value ->> 1 IS NOT NULL)

-- 6. pruned
-- How many; the position of the last one; whether there may be more behind it.
-- gives pruned
SELECT json_array_length(:going), :going ->> '$[#-1][2]', :going ->> '$[#-1][0]',
    json_array_length(:going) < json_array_length(:page, '$[1]') OR json_array_length(:page, '$[1]') = :limit
WHERE json_array_length(:going) > 0
