-- 1. page
-- The oldest finished jobs of one queue and state behind the position (:after_at, :after_seq) that are beyond retention,
-- at most :limit, twice; whether they are more than may go at once, whether one of them has a key, and whether one has
-- events. One with steps counts for a sixteenth of a page at least: up to 10,000 rows go with it, and all others wait
-- meanwhile.
-- ahead
-- binds page, going, is_too_large, keyed, has_events
SELECT json_group_array(seq), nullif(json_group_array(seq), '[]'), sum(size) > :bytes, count(unique_key) > 0,
    max(has_events)
FROM (
    SELECT seq, unique_key, EXISTS (SELECT 1 FROM windlass_event AS event WHERE event.seq = windlass_whole.seq) AS has_events,
        -- here bytes_held
        + iif(has_steps, :bytes / 16, 0) AS size
    FROM windlass_whole
    WHERE
        -- here beyond_retention (job = windlass_whole)
    AND state IN ('completed', 'failed', 'cancelled')
    -- bounds the walk through the index
    AND finished_at BETWEEN :after_at AND max(:now - :age - 1, :beyond_at)
    AND (finished_at, seq) > (:after_at, :after_seq)
    ORDER BY finished_at, seq LIMIT :limit)

-- 2. going
-- As many of them as hold :bytes together, but at least one.
-- ahead
-- only if is_too_large
-- binds going
SELECT json_group_array(seq) FROM (
    SELECT place, seq, sum(size) OVER (ORDER BY place) AS size FROM (
        SELECT key AS place, seq,
            -- here bytes_held
            + iif(has_steps, :bytes / 16, 0) AS size
        FROM json_each(:page) JOIN windlass_whole ON seq = value))
WHERE size <= :bytes OR place = 0

-- 3. pruned
-- How many; the position of the last one; whether there may be more behind it. One that is retried before it can be removed
-- is counted, and stays.
-- ahead
-- gives pruned
SELECT json_array_length(:going), finished_at, seq,
    json_array_length(:going) < json_array_length(:page) OR json_array_length(:page) = :limit
FROM windlass_job WHERE seq = :going ->> '$[#-1]'

-- 4. keys
-- The key of a job goes with it.
-- only if keyed
DELETE FROM windlass_key WHERE id IN (
    SELECT id FROM windlass_job WHERE unique_key IS NOT NULL AND seq IN (SELECT value FROM json_each(:going)) AND
        -- here beyond_retention (job = windlass_job)
    )

-- 5. events
-- So do its events.
-- only if has_events
DELETE FROM windlass_event WHERE seq IN (
    SELECT seq FROM windlass_job WHERE seq IN (SELECT value FROM json_each(:going)) AND
        -- here beyond_retention (job = windlass_job)
    )

-- 6. jobs
-- Removes them. Nearly always it is the only statement that is left, and a transaction of its own.
-- only if going
DELETE FROM windlass_job WHERE seq IN (SELECT value FROM json_each(:going)) AND
    -- here beyond_retention (job = windlass_job)
