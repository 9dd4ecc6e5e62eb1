-- Failed jobs grouped by what went wrong, the largest group first; at most :window of the newest are looked at.
-- gives groups
SELECT task, reason, error, count(*), max(finished_at) FROM (
    SELECT task, reason, finished_at, iif(json_valid(errors), errors ->> '$.faults[#-1].type', NULL) AS error
    FROM windlass_job WHERE state IN ('failed', 'cancelled') AND state = 'failed' ORDER BY seq DESC LIMIT :window)
GROUP BY task, reason, error ORDER BY count(*) DESC, task, reason, error LIMIT :limit
