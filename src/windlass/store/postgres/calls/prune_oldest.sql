-- Removes the oldest finished jobs of one queue and state behind the position (:after_at, :after_seq) that are older than
-- :age, or not younger than the position (:beyond_at, :beyond_seq), with their events and unique keys: at most
-- :limit, and as many as hold :bytes together, but at least one. A job with edges stays: see prunable. One with steps counts
-- for a sixteenth of that at least: up to 10,000 rows go with it.
-- gives pruned
-- gives vanished
--
-- It never waits: a row that another transaction has locked is skipped, and goes next time. A skipped key is free
-- without its job, and tidy_keys removes it.
--
-- As in cycle, rows are looked up in LATERAL parts and some conditions are there only for the planner (all of the
-- numbers that a seq can be), so that a plan that was made for empty tables does not read large ones.
WITH
-- here clock
, old AS MATERIALIZED (
    SELECT ctid AS place, finished_at, seq,
        coalesce(octet_length(result), 0) + CAST(coalesce(octet_length(errors), 0) AS double precision) AS size
    FROM windlass_finished WHERE state = :state AND queue = :queue
    AND (finished_at, seq) > (CAST(:after_at AS bigint), CAST(:after_seq AS bigint))
    -- bounds the walk through the index; what follows is exact
    AND finished_at <= greatest((SELECT now FROM clock) - CAST(:age AS bigint) - 1, CAST(:beyond_at AS bigint))
    AND (finished_at < (SELECT now FROM clock) - CAST(:age AS bigint)
        OR (finished_at, seq) <= (CAST(:beyond_at AS bigint), CAST(:beyond_seq AS bigint)))
    AND
        -- here has_edges (seq = windlass_finished.seq)
    <> 1
    ORDER BY finished_at, seq LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), sized AS (
    SELECT old.place, old.finished_at, old.seq, job.place AS body, job.id, job.unique_key, job.is_cached,
        sum(old.size + coalesce(job.size, 0)) OVER before AS size, row_number() OVER before AS number
    FROM old LEFT JOIN LATERAL (
        -- The lengths of long texts are known without reading them.
        SELECT ctid AS place, id, unique_key,
            -- here is_cached (job = job)
            AS is_cached,
            octet_length(payload) + coalesce(octet_length(meta), 0) + coalesce(octet_length(errors), 0)
                + CASE WHEN has_steps THEN CAST(:bytes AS bigint) / 16 ELSE 0 END AS size
        FROM windlass_job AS job WHERE job.seq = old.seq OFFSET 0) AS job ON true
    WINDOW before AS (ORDER BY old.finished_at, old.seq ROWS UNBOUNDED PRECEDING)
), going AS MATERIALIZED (
    SELECT * FROM sized WHERE size <= CAST(:bytes AS bigint) OR number = 1
), leaving AS MATERIALIZED (
    SELECT * FROM going WHERE NOT is_cached
), moved AS (
    -- By their places in the tables: who would move them has to have the finished row, which is locked.
    DELETE FROM windlass_finished AS gone USING leaving
    WHERE gone.ctid = leaving.place AND leaving.seq BETWEEN 0 AND 9223372036854775807
    RETURNING gone.seq
), pruned AS (
    DELETE FROM windlass_job AS job USING leaving
    WHERE job.ctid = leaving.body AND leaving.seq BETWEEN 0 AND 9223372036854775807
), forgotten AS (
    DELETE FROM windlass_event AS event USING moved
    WHERE event.seq = moved.seq AND moved.seq BETWEEN 0 AND 9223372036854775807
), held AS MATERIALIZED (
    SELECT found.key FROM leaving CROSS JOIN LATERAL (
        SELECT key.key FROM windlass_key AS key
        WHERE key.key = leaving.unique_key AND key.id = leaving.id
        FOR UPDATE SKIP LOCKED) AS found
), freed AS (
    DELETE FROM windlass_key AS key USING held WHERE key.key = held.key
)
SELECT
    -- How many; the position of the last one; whether there may be more behind it.
    (SELECT coalesce(json_agg(json_build_array(
            (SELECT count(*) FROM moved), finished_at, seq,
            number < (SELECT count(*) FROM old) OR number = CAST(:limit AS bigint))), '[]')
        FROM (SELECT finished_at, seq, number FROM going ORDER BY number DESC LIMIT 1) AS last) AS pruned,
    -- Jobs whose rows were deleted.
    (SELECT json_agg(json_build_array(seq, CAST(:queue AS text), CAST(:state AS text)) ORDER BY seq) FROM going
        WHERE body IS NULL) AS vanished
