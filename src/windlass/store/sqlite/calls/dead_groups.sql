-- 1. groups
-- Failed jobs below :cursor grouped by what went wrong, the newest first; at most :window are looked at. Of those that an
-- earlier release has failed, and whose errors have to be read, no more than hold :bytes together, but at least one.
-- :recent for how long a failure is recent; :steps of that length are told apart
-- :by queue or worker, if the groups are to be told apart by that
-- gives groups
WITH
-- here dead_examined
SELECT {DeadGroup; count = count(*); oldest = min(finished_at); newest = max(finished_at);
    recent = sum(finished_at > :now - :recent); sample = max(printf('%019d', seq) || id);
    ages = group_concat(iif(finished_at > :now - :recent * :steps, max(0, :now - finished_at) / :recent, NULL))}
FROM (
    SELECT seq, id, task, reason, cause, finished_at,
        CASE WHEN cause IS NULL THEN iif(json_valid(errors), errors ->> '$.faults[#-1].type', NULL) END AS error,
        CASE :by WHEN 'queue' THEN queue WHEN 'worker' THEN worker END AS part
    FROM windlass_job WHERE seq IN (SELECT seq FROM examined))
GROUP BY task, reason, error, cause, part

-- 2. examined
-- How many were looked at, where the look ended, and whether there may be more.
-- gives examined
WITH
-- here dead_examined
SELECT count(*), min(seq), count(*) = :window OR count(*) < (SELECT count(*) FROM newest) FROM examined
