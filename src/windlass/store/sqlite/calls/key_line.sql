-- 1. holders
-- Who holds the concurrency key of a job, at most :limit of them.
-- gives holders
WITH own AS (SELECT concurrency_key FROM windlass_job WHERE seq = :seq)
SELECT id, state FROM windlass_job WHERE seq IN (
    SELECT holder.seq FROM own CROSS JOIN windlass_job AS holder ON holder.concurrency_key = own.concurrency_key
    WHERE holder.state = 'running'
    UNION ALL
    SELECT holder.seq FROM own CROSS JOIN windlass_job AS holder ON holder.concurrency_key = own.concurrency_key
    WHERE holder.state = 'pending' AND holder.promised = 1)
ORDER BY seq LIMIT :limit

-- 2. ahead
-- How many of those that wait for it come first, counted up to 1,000.
-- gives ahead
SELECT count(*) FROM (
    SELECT 1 FROM windlass_job AS own CROSS JOIN windlass_job AS other ON other.gate = own.gate
    WHERE own.seq = :seq AND other.state = 'blocked'
    AND (-other.priority, other.run_at, other.seq) < (-own.priority, own.run_at, own.seq) LIMIT 1000)
