-- 1. page
-- The oldest finished jobs of one queue and state behind the position (:after_at, :after_seq) that are beyond retention,
-- at most :limit, twice; whether they are more than may go at once, whether one of them has events, and whether there are plain
-- jobs and others among them. One with steps counts for a sixteenth of a page at least: up to 10,000 rows go with it, and all
-- others wait meanwhile.
-- ahead
-- binds page, going, is_too_large, has_events, has_plain, is_mixed
SELECT json_group_array(seq), nullif(json_group_array(seq), '[]'), sum(size) > :bytes, max(has_events), max(is_plain),
    NOT min(is_plain)
FROM (
    SELECT seq, EXISTS (SELECT 1 FROM windlass_event AS event WHERE event.seq = windlass_whole.seq) AS has_events,
        unique_key IS NULL AND
            -- here is_plain (job = windlass_whole)
        AS is_plain,
        -- here bytes_held
        + iif(has_steps, :bytes / 16, 0) AS size
    FROM windlass_whole
    WHERE
        -- here beyond_retention (job = windlass_whole)
    AND
        -- here is_finished (job = windlass_whole)
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

-- 4. ways
-- Where they end, and which of them cannot be removed by the short way.
-- ahead
-- only if going
-- binds last_at, last_seq, others
SELECT finished_at, seq, (
    SELECT nullif(json_group_array(seq), '[]') FROM windlass_job
    WHERE :is_mixed AND seq IN (SELECT value FROM json_each(:going)) AND NOT (unique_key IS NULL AND
        -- here is_plain (job = windlass_job)
    ))
FROM windlass_job WHERE seq = :going ->> '$[#-1]'

-- 5. keys
-- The key of a job goes with it.
-- only if others
DELETE FROM windlass_key WHERE id IN (
    SELECT id FROM windlass_job WHERE unique_key IS NOT NULL AND seq IN (SELECT value FROM json_each(:others)) AND
        -- here beyond_retention (job = windlass_job)
    )

-- 6. events
-- So do its events.
-- only if has_events
DELETE FROM windlass_event WHERE seq IN (
    SELECT seq FROM windlass_job WHERE seq IN (SELECT value FROM json_each(:going)) AND
        -- here beyond_retention (job = windlass_job)
    )

-- 7. others
-- only if others
DELETE FROM windlass_job WHERE seq IN (SELECT value FROM json_each(:others)) AND
    -- here beyond_retention (job = windlass_job)

-- here delete_beside (jobs = others)

-- 8. plain
-- The short way, which nearly all jobs go: SQLite walks the index and removes each row as it comes to it. It does so only in a
-- statement without subqueries, for a table without triggers for deletes; else it finds all rows first, and each of them
-- again. That would take twice as long, while no other process can write. And no function is called: it might fail half-way,
-- so SQLite would copy every page that is changed. Retention lets all jobs go that come before one that it lets go.
-- only if has_plain
DELETE FROM windlass_job WHERE
    -- here is_finished (job = windlass_job)
AND state = :state AND queue = :queue
AND finished_at BETWEEN :after_at AND :last_at
AND (finished_at > :after_at OR seq > :after_seq) AND (finished_at < :last_at OR seq <= :last_seq)
AND unique_key IS NULL AND
    -- here is_plain (job = windlass_job)
