-- One row (kind), if any job is under way that may have to wait by itself: 2 if jobs with a rate can be claimed, else 1 if
-- there are jobs with a concurrency key. Nearly always there is none, and nothing else is asked.
SELECT 2 AS kind FROM (SELECT 1 FROM windlass_job WHERE rate_key IS NOT NULL AND state = 'pending' LIMIT 1)
UNION ALL
SELECT 1 FROM (
    SELECT 1 FROM windlass_job WHERE concurrency_key IS NOT NULL AND
        -- here may_hold_key (job = windlass_job)
    LIMIT 1)
LIMIT 1
