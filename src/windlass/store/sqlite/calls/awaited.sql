-- Those of many awaited jobs that are finished, and those that are not there at all (a null state); the first of them,
-- if their texts have :bytes or more. Their sizes are added up without the texts, which would all be kept meanwhile.
-- gives jobs as json
WITH settled AS (
    SELECT wanted.key AS place, wanted.value AS id, seq,
        coalesce(octet_length(result), 0) + coalesce(octet_length(errors), 0) AS size
    FROM jsonb_each(:ids) AS wanted LEFT JOIN windlass_job ON windlass_job.id = wanted.value
    WHERE state IS NULL OR state IN ('completed', 'failed', 'cancelled')
), page AS (
    SELECT id, seq, sum(size) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - size AS before FROM settled
)
SELECT CAST(json_group_array(json_array({FinishedJob; id = page.id})) AS BLOB)
FROM page LEFT JOIN windlass_job ON windlass_job.seq = page.seq WHERE before < :bytes
