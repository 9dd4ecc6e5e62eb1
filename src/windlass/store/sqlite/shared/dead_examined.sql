-- The failed jobs that dead_groups looks at.
newest AS MATERIALIZED (
    SELECT seq, iif(cause IS NULL, coalesce(octet_length(errors), 0), 0) AS size FROM windlass_job
    WHERE state IN ('failed', 'cancelled') AND state = 'failed' AND seq < :cursor ORDER BY seq DESC LIMIT :window
), examined AS MATERIALIZED (
    SELECT seq FROM (
        SELECT seq, sum(size) OVER before AS bytes, row_number() OVER before AS place FROM newest
        WINDOW before AS (ORDER BY seq DESC ROWS UNBOUNDED PRECEDING))
    WHERE bytes <= :bytes OR place = 1
)
