-- How many jobs each queue has ready, and for how many milliseconds the oldest of them has been waiting.
-- gives depths
WITH
-- here clock
SELECT queue, count(*), (SELECT now FROM clock) - min(since) FROM windlass_ready GROUP BY queue
