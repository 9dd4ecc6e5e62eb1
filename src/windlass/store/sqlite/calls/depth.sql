-- How many jobs each queue has ready, and for how many milliseconds the oldest of them has been waiting.
-- gives depths
SELECT queue, count(*), :now - min(run_at) FROM windlass_job WHERE state = 'pending' GROUP BY queue
