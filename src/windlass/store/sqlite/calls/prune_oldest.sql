-- 1. page
-- The oldest finished jobs of one queue and state behind the position (:after_at, :after_seq) that are older than :age,
-- or not younger than the position (:beyond_at, :beyond_seq), at most :limit: how many bytes they hold together, and
-- which they are. The id of one that has no key is not needed. A job with edges stays: see prunable.
-- binds page
SELECT json_object(
    'bytes', sum(size), 'jobs', json_group_array(json_array(seq, iif(unique_key IS NULL, NULL, id), finished_at, size)))
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
    AND (unique_key IS NULL OR NOT
        -- here is_cached (job = windlass_whole)
    )
    AND NOT (
        -- here has_edges (seq = windlass_whole.seq)
    )
    ORDER BY finished_at, seq LIMIT :limit)

-- 2. going
-- As many of them as hold :bytes together, but at least one: nearly always all, and then sizes need no adding up.
-- :jobs rows (seq, id, finished_at, size), those of the page
-- binds going
SELECT CASE WHEN :page ->> 'bytes' <= :bytes THEN :page -> 'jobs' ELSE (
    SELECT json_group_array(json(value)) FROM (
        SELECT key, value, sum({jobs.size}) OVER (ORDER BY key) AS size FROM json_each(:page, '$.jobs'))
    WHERE size <= :bytes OR key = 0) END

-- 3. jobs
-- Removes them.
-- :going rows (seq, id, finished_at, size)
DELETE FROM windlass_job WHERE seq IN (SELECT {going.seq} FROM jsonb_each(:going))

-- 4. events
-- The events of a job go with it.
-- :going rows (seq, id, finished_at, size)
DELETE FROM windlass_event WHERE seq IN (SELECT {going.seq} FROM jsonb_each(:going))

-- 5. keys
-- So does its key.
-- :going rows (seq, id, finished_at, size)
DELETE FROM windlass_key WHERE id IN (SELECT {going.id} FROM jsonb_each(:going) WHERE {going.id} IS NOT NULL)

-- 6. pruned
-- How many; the position of the last one; whether there may be more behind it.
-- :going rows (seq, id, finished_at, size)
-- gives pruned
SELECT json_array_length(:going), {going.finished_at}, {going.seq},
    json_array_length(:going) < json_array_length(:page, '$.jobs') OR json_array_length(:page, '$.jobs') = :limit
FROM json_each(:going) WHERE key = json_array_length(:going) - 1
