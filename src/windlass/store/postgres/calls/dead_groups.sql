-- Failed jobs grouped by what went wrong, the largest group first; at most :window of the newest are looked at, and no more
-- than hold :bytes of errors together, but at least one.
-- gives groups
SELECT task, reason, error, count(*), max(finished_at) FROM (
    -- The type of the newest fault, which comes last. Taken out of the text, not read as JSON: one damaged history must
    -- not hide the others. Inside a JSON string the quotes would be escaped, so it can only be a fault's own field.
    SELECT task, reason, finished_at,
        CASE WHEN strpos(errors, ',"type":"') > 0
            THEN split_part(split_part(errors, ',"type":"', -1), '"', 1) END AS error
    FROM (
        SELECT job.task, failed.reason, failed.finished_at, job.errors,
            -- The lengths of long texts are known without reading them.
            sum(CAST(coalesce(octet_length(job.errors), 0) AS double precision)) OVER before AS bytes,
            row_number() OVER before AS place
        FROM (
            SELECT finished.seq, finished.reason, finished.finished_at, finished.errors
            FROM windlass_finished AS finished
            -- Written as a range, in an order that only the index of dead letters has: by seq alone the planner would
            -- walk all finished jobs for the few that failed.
            WHERE finished.state IN ('failed', 'cancelled') AND finished.state >= 'failed' AND finished.state <= 'failed'
            ORDER BY finished.state DESC, finished.seq DESC LIMIT CAST(:window AS bigint)) AS failed
        CROSS JOIN LATERAL (
            SELECT job.task, coalesce(failed.errors, job.errors) AS errors
            FROM windlass_job AS job WHERE job.seq = failed.seq LIMIT 1) AS job
        WINDOW before AS (ORDER BY failed.seq DESC ROWS UNBOUNDED PRECEDING)) AS newest
    WHERE newest.bytes <= CAST(:bytes AS bigint) OR newest.place = 1) AS failure
GROUP BY task, reason, error
ORDER BY count(*) DESC, task, reason NULLS FIRST, error NULLS FIRST LIMIT CAST(:limit AS bigint)
