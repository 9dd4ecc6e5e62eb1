-- Failed jobs grouped by what went wrong, the largest group first; at most :window of the newest are looked at, and no more
-- than hold :bytes of errors together, but at least one.
-- gives groups
SELECT task, reason, error, count(*), max(finished_at) FROM (
    SELECT task, reason, finished_at, iif(json_valid(errors), errors ->> '$.faults[#-1].type', NULL) AS error
    FROM windlass_job JOIN (
        SELECT seq AS number, sum(size) OVER before AS bytes, row_number() OVER before AS place FROM (
            SELECT seq, coalesce(octet_length(errors), 0) AS size FROM windlass_job
            WHERE state IN ('failed', 'cancelled') AND state = 'failed' ORDER BY seq DESC LIMIT :window)
        WINDOW before AS (ORDER BY seq DESC ROWS UNBOUNDED PRECEDING)) AS newest ON seq = newest.number
    WHERE newest.bytes <= :bytes OR newest.place = 1)
GROUP BY task, reason, error ORDER BY count(*) DESC, task, reason, error LIMIT :limit
