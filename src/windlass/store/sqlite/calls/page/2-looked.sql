-- How many rows were looked at and where the look ended: the next page begins there if this one came out short.
-- gives looked
WITH looked AS (
    SELECT seq FROM (
        SELECT seq FROM windlass_job WHERE :ended IS NULL AND seq < :cursor ORDER BY seq DESC LIMIT :window)
    UNION ALL
    SELECT seq FROM (
        SELECT seq FROM windlass_job
        WHERE state IN ('failed', 'cancelled') AND state = :ended AND seq < :cursor ORDER BY seq DESC LIMIT :window)
)
SELECT count(*), min(seq) FROM looked
