-- Removes keys whose window has passed, :limit at a time, and keys whose job is gone, of those that orphan_keys has found.
-- :keys rows (key, version) as asked
-- gives over
--
-- Takes no lock that another transaction has, so that it never waits; what it skips goes next time.
WITH
-- here clock
, over AS MATERIALIZED (
    SELECT key.key FROM windlass_key AS key WHERE key.expires_at <= (SELECT now FROM clock)
    ORDER BY key.expires_at LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), free AS MATERIALIZED (
    -- Only the very row that was found to be free: a newer one belongs to a job that this statement cannot see.
    SELECT found.key FROM jsonb_array_elements(CAST(:keys AS jsonb)) AS asked (value) CROSS JOIN LATERAL (
        SELECT key.key, key.id FROM windlass_key AS key
        WHERE key.key = {asked.key} AND CAST(key.xmin AS text) = {asked.version}
        FOR UPDATE SKIP LOCKED) AS found
    WHERE (SELECT job.seq FROM windlass_job AS job WHERE job.id = found.id) IS NULL
), gone AS (
    DELETE FROM windlass_key WHERE key = ANY (ARRAY(SELECT over.key FROM over UNION SELECT free.key FROM free))
)
SELECT key FROM over
