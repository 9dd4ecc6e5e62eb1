-- The jobs that a page looks at, the newest first: at most :window rows, and of texts no more than :bytes.
newest AS (
    SELECT seq FROM (
        SELECT seq FROM windlass_job
        WHERE :only IS NULL AND :tag IS NULL AND seq < :cursor ORDER BY seq DESC LIMIT :window)
    UNION ALL
    SELECT seq FROM (
        SELECT seq FROM windlass_job
        WHERE state IN ('failed', 'cancelled') AND state = :only AND :tag IS NULL AND seq < :cursor
        ORDER BY seq DESC LIMIT :window)
    UNION ALL
    SELECT seq FROM (
        -- All that run are sorted, for they are few: +seq, or the planner would walk all jobs, which are in order.
        SELECT seq FROM windlass_job
        WHERE :only = 'running' AND state = 'running' AND lease > '' AND :tag IS NULL AND +seq < :cursor
        ORDER BY +seq DESC LIMIT :window)
    UNION ALL
    SELECT seq FROM (
        SELECT seq FROM windlass_tag WHERE tag = :tag AND seq < :cursor ORDER BY seq DESC LIMIT :window)
), examined AS (
    SELECT seq FROM newest WHERE :text IS NULL AND :meta IS NULL AND :arguments IS NULL
    UNION ALL
    -- A text is looked for in what jobs hold, as far as :bytes reach.
    SELECT seq FROM (
        SELECT seq, sum(size) OVER before AS bytes, row_number() OVER before AS number FROM (
            SELECT newest.seq, iif(:text IS NULL AND :arguments IS NULL, 0, payload_size)
                + iif(:text IS NULL, 0, coalesce(octet_length(errors), 0)) + coalesce(octet_length(meta), 0) AS size
            FROM newest JOIN windlass_whole ON windlass_whole.seq = newest.seq
            WHERE :text IS NOT NULL OR :meta IS NOT NULL OR :arguments IS NOT NULL)
        WINDOW before AS (ORDER BY seq DESC ROWS UNBOUNDED PRECEDING))
    WHERE bytes <= :bytes OR number = 1
)
