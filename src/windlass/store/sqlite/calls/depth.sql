-- How many jobs each queue has ready, and for how many milliseconds the oldest of them has been waiting.
-- gives depths
SELECT queue, sum(number), :now - min(oldest) FROM (
    SELECT queue, count(*) AS number, min(run_at) AS oldest FROM windlass_job
    WHERE state = 'pending' AND crashes = 0 AND rescues = 0 GROUP BY queue
    UNION ALL
    SELECT queue, count(*), min(run_at) FROM windlass_job
    WHERE state = 'pending' AND crashes + rescues > 0 GROUP BY queue)
GROUP BY queue
