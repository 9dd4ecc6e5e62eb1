-- How many jobs each queue has ready, and for how many milliseconds the oldest of them has been waiting.
-- gives depths
WITH clock AS (
    SELECT coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)) AS now
)
SELECT queue, count(*), (SELECT now FROM clock) - min(since) FROM windlass_ready GROUP BY queue
