-- What the tables hold of one job: the table, and the columns of its row by their names.
-- gives records as json
--
-- As in cycle, rows are looked up in LATERAL parts, so that a plan that was made for empty tables does not read large ones.
WITH wanted AS MATERIALIZED (
    SELECT job.seq, job.id, job.queue, job.priority, job.run_at FROM windlass_job AS job WHERE job.id = :id
), found AS (
    SELECT 'job' AS place, row_to_json(job) AS body FROM wanted CROSS JOIN LATERAL (
        SELECT * FROM windlass_job AS job WHERE job.seq = wanted.seq OFFSET 0) AS job
    UNION ALL
    SELECT 'ready', row_to_json(ready) FROM wanted CROSS JOIN LATERAL (
        SELECT * FROM windlass_ready AS ready
        WHERE ready.queue = wanted.queue AND ready.suspect = ANY (ARRAY[false, true])
        AND ready.priority = wanted.priority AND ready.since = wanted.run_at AND ready.seq = wanted.seq OFFSET 0) AS ready
    UNION ALL
    SELECT 'due', row_to_json(due) FROM wanted CROSS JOIN LATERAL (
        SELECT * FROM windlass_due AS due WHERE due.run_at = wanted.run_at AND due.seq = wanted.seq OFFSET 0) AS due
    UNION ALL
    SELECT 'blocked', row_to_json(blocked) FROM wanted CROSS JOIN LATERAL (
        SELECT * FROM windlass_blocked AS blocked WHERE blocked.seq = wanted.seq OFFSET 0) AS blocked
    UNION ALL
    SELECT 'running', row_to_json(running) FROM wanted CROSS JOIN LATERAL (
        SELECT * FROM windlass_running AS running WHERE running.seq = wanted.seq OFFSET 0) AS running
    UNION ALL
    SELECT 'finished', row_to_json(finished) FROM wanted CROSS JOIN LATERAL (
        SELECT * FROM windlass_finished AS finished WHERE finished.seq = wanted.seq OFFSET 0) AS finished
    UNION ALL
    SELECT 'lease', row_to_json(lease) FROM wanted CROSS JOIN LATERAL (
        SELECT lease.* FROM windlass_running AS running JOIN windlass_lease AS lease ON lease.id = running.lease
        WHERE running.seq = wanted.seq OFFSET 0) AS lease
    UNION ALL
    SELECT 'key', row_to_json(held) FROM wanted CROSS JOIN LATERAL (
        SELECT * FROM windlass_key AS key WHERE key.id = wanted.id OFFSET 0) AS held
)
SELECT coalesce(json_agg(json_build_array(found.place, found.body)), '[]') AS records FROM found
