-- Keys whose job is gone, which was deleted past us, among the next :limit behind :after, each with the version of
-- its row; tidy_keys removes them.
-- gives keys
-- gives examined
WITH examined AS MATERIALIZED (
    SELECT key, id, xmin FROM windlass_key WHERE key > CAST(:after AS text) COLLATE "C"
    ORDER BY key LIMIT CAST(:limit AS bigint)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(examined.key, CAST(examined.xmin AS text))), '[]') FROM examined
        WHERE (SELECT job.seq FROM windlass_job AS job WHERE job.id = examined.id) IS NULL) AS keys,
    -- How many were looked at, and which was the last.
    (SELECT json_build_array(json_build_array(count(*), max(key))) FROM examined) AS examined
