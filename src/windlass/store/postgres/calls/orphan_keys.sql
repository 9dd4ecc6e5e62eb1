-- Keys whose job is gone, which was deleted past us, among the next :limit behind :after, each with the version of
-- its row; tidy_keys removes them.
-- gives keys
-- gives looked
WITH looked AS MATERIALIZED (
    SELECT key, id, xmin FROM windlass_key WHERE key > CAST(:after AS text) COLLATE "C"
    ORDER BY key LIMIT CAST(:limit AS bigint)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(looked.key, CAST(looked.xmin AS text))), '[]') FROM looked
        WHERE (SELECT job.seq FROM windlass_job AS job WHERE job.id = looked.id) IS NULL) AS keys,
    -- How many were looked at, and which was the last.
    (SELECT json_build_array(json_build_array(count(*), max(key))) FROM looked) AS looked
