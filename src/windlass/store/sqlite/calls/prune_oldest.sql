-- 1. page
-- The oldest finished jobs of one queue and state behind the position (:after_at, :after_seq) that are older than :age,
-- or not younger than the position (:beyond_at, :beyond_seq), at most :limit, twice; whether they are more than may go
-- at once, whether one of them has a key, and whether there are events. A job with edges stays: see prunable.
-- One with steps counts for a sixteenth of a page at least: up to 10,000 rows go with it, and all others wait meanwhile.
-- All of that in one statement: after each the thread waits for its turn to run Python, with the file's lock in hand.
-- binds page, going, is_too_large, keyed, has_events
SELECT json_group_array(seq), json_group_array(seq), sum(size) > :bytes, count(unique_key) > 0,
    EXISTS (SELECT 1 FROM windlass_event)
FROM (
    SELECT seq, unique_key,
        -- here bytes_held
        + iif(has_steps, :bytes / 16, 0) AS size
    FROM windlass_whole
    WHERE state IN ('completed', 'failed', 'cancelled') AND state = :state AND queue = :queue
    -- bounds the walk through the index; what follows is exact
    AND finished_at BETWEEN :after_at AND max(:now - :age - 1, :beyond_at)
    AND (finished_at, seq) > (:after_at, :after_seq)
    AND (finished_at < :now - :age OR (finished_at, seq) <= (:beyond_at, :beyond_seq))
    AND (unique_key IS NULL OR NOT
        -- here is_cached (job = windlass_whole)
    )
    -- whether any job waits, or waited, for another is found out once: nearly always none does
    AND NOT ((SELECT EXISTS (SELECT 1 FROM windlass_edge) OR EXISTS (SELECT 1 FROM windlass_member)) AND (
        -- here has_edges (seq = windlass_whole.seq)
    ))
    ORDER BY finished_at, seq LIMIT :limit)

-- 2. going
-- As many of them as hold :bytes together, but at least one.
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
-- How many; the position of the last one; whether there may be more behind it.
-- gives pruned
SELECT json_array_length(:going), finished_at, seq,
    json_array_length(:going) < json_array_length(:page) OR json_array_length(:page) = :limit
FROM windlass_job WHERE seq = :going ->> '$[#-1]'

-- 4. keys
-- The key of a job goes with it.
-- only if keyed
DELETE FROM windlass_key WHERE id IN (
    SELECT id FROM windlass_job WHERE unique_key IS NOT NULL AND seq IN (SELECT value FROM json_each(:going)))

-- 5. events
-- So do its events.
-- only if has_events
DELETE FROM windlass_event WHERE seq IN (SELECT value FROM json_each(:going))

-- 6. jobs
-- Removes them.
DELETE FROM windlass_job WHERE seq IN (SELECT value FROM json_each(:going))
