-- Removes finished jobs that are still as they were seen, with their events and unique keys: one that was retried
-- meanwhile and has finished anew carries another fence.
-- :jobs rows (seq, fence, id, finished_at)
-- gives pruned
--
-- It never waits: a row that another transaction has locked is skipped, and goes next time. A skipped key is free
-- without its job, and tidy_keys removes it.
--
-- As in cycle, rows are looked up in LATERAL parts and some conditions are there only for the planner (all of the
-- numbers that a seq can be), so that a plan that was made for empty tables does not read large ones.
WITH asked AS MATERIALIZED (
    SELECT CAST({jobs.seq} AS bigint) AS seq, CAST({jobs.fence} AS bigint) AS fence
    FROM jsonb_array_elements(CAST(:jobs AS jsonb)) ORDER BY seq
), finished AS MATERIALIZED (
    SELECT found.place, asked.seq FROM asked CROSS JOIN LATERAL (
        SELECT finished.ctid AS place FROM windlass_finished AS finished
        WHERE finished.seq = asked.seq AND finished.fence = asked.fence AND finished.state = :state
        AND coalesce((
            -- here needed (seq = finished.seq)
        ), 0) <> 1
        FOR UPDATE SKIP LOCKED) AS found
), moved AS (
    -- By their place in the table: they are locked, and such a row is never updated.
    DELETE FROM windlass_finished AS gone USING finished
    WHERE gone.ctid = finished.place AND finished.seq BETWEEN 0 AND 9223372036854775807
    RETURNING gone.seq
), pruned AS (
    DELETE FROM windlass_job AS job USING moved
    WHERE job.seq = moved.seq AND moved.seq BETWEEN 0 AND 9223372036854775807
    RETURNING job.seq, job.id, job.unique_key
), forgotten AS (
    DELETE FROM windlass_event AS event USING pruned
    WHERE event.seq = pruned.seq AND pruned.seq BETWEEN 0 AND 9223372036854775807
), held AS MATERIALIZED (
    SELECT found.key FROM pruned CROSS JOIN LATERAL (
        SELECT key.key FROM windlass_key AS key
        WHERE key.key = pruned.unique_key AND key.id = pruned.id
        FOR UPDATE SKIP LOCKED) AS found
), freed AS (
    DELETE FROM windlass_key AS key USING held WHERE key.key = held.key
)
SELECT seq FROM pruned
