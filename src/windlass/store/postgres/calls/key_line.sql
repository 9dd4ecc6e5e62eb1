-- Who holds the concurrency key of a job, at most :limit of them, and how many of those that wait at its gate come first,
-- counted up to 1,000.
-- gives holders
-- gives ahead
WITH own AS MATERIALIZED (
    SELECT job.seq, job.concurrency_key, job.priority, job.run_at, (
            SELECT blocked.gate FROM windlass_blocked AS blocked WHERE blocked.seq = job.seq) AS gate
    FROM windlass_job AS job WHERE job.seq = CAST(:seq AS bigint)
), holder AS MATERIALIZED (
    -- What runs, and what is pending and holds a key, is little.
    SELECT found.seq, found.state FROM own CROSS JOIN LATERAL (
        SELECT running.seq, 'running' AS state FROM windlass_running AS running WHERE running.gate = own.concurrency_key
        UNION ALL
        SELECT ready.seq, 'pending' FROM windlass_ready AS ready WHERE ready.gate = own.concurrency_key) AS found
    ORDER BY found.seq LIMIT CAST(:limit AS bigint)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(job.id, holder.state) ORDER BY holder.seq), '[]') FROM holder
        CROSS JOIN LATERAL (SELECT id FROM windlass_job WHERE windlass_job.seq = holder.seq OFFSET 0) AS job) AS holders,
    (SELECT json_build_array(json_build_array(count(*))) FROM (
        SELECT 1 FROM own CROSS JOIN LATERAL (
            SELECT 1 FROM windlass_blocked AS other
            WHERE other.gate = own.gate AND (other.priority > own.priority OR (
                other.priority = own.priority AND (other.since, other.seq) < (own.run_at, own.seq)))
            LIMIT 1000) AS earlier) AS counted) AS ahead
