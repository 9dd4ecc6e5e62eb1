-- 1. jobs
-- A page of jobs, the newest first. At most :window rows are looked at, so that a filter that finds little costs no
-- more than one that finds much. With :ended (failed or cancelled) only jobs of that state are looked at, by an index.
-- Gives how much each holds, not the jobs themselves: they are read by id, as many as one call can carry.
-- gives jobs
WITH newest AS (
    SELECT seq FROM (
        SELECT seq FROM windlass_job WHERE :ended IS NULL AND seq < :cursor ORDER BY seq DESC LIMIT :window)
    UNION ALL
    SELECT seq FROM (
        SELECT seq FROM windlass_job
        WHERE state IN ('failed', 'cancelled') AND state = :ended AND seq < :cursor ORDER BY seq DESC LIMIT :window)
), looked AS (
    SELECT seq FROM newest WHERE :text IS NULL
    UNION ALL
    -- A text is looked for in what jobs hold, as far as :bytes reach.
    SELECT seq FROM (
        SELECT seq, sum(size) OVER before AS bytes, row_number() OVER before AS number FROM (
            SELECT newest.seq, payload_size + coalesce(octet_length(errors), 0) AS size
            FROM newest JOIN windlass_whole ON windlass_whole.seq = newest.seq WHERE :text IS NOT NULL)
        WINDOW before AS (ORDER BY seq DESC ROWS UNBOUNDED PRECEDING))
    WHERE bytes <= :bytes OR number = 1
)
SELECT seq, id, payload_size + coalesce(octet_length(meta), 0) + coalesce(octet_length(result), 0)
    + coalesce(octet_length(errors), 0) + coalesce(octet_length(progress), 0)
FROM windlass_whole
WHERE seq IN (SELECT seq FROM looked)
AND (:states IS NULL OR state IN (SELECT value FROM jsonb_each(:states)))
AND (:queue IS NULL OR queue = :queue)
AND (:task IS NULL OR task = :task)
AND (:reason IS NULL OR reason = :reason)
AND (:since IS NULL OR created_at >= :since)
AND (:until IS NULL OR created_at < :until)
AND (:finished_before IS NULL OR finished_at < :finished_before)
AND (:text IS NULL
    OR instr(lower(id || ' ' || task || ' ' || whole_payload || ' ' || coalesce(errors, '')), lower(:text)) > 0)
ORDER BY seq DESC LIMIT :limit

-- 2. looked
-- How many rows were looked at and where the look ended: the next page begins there if this one came out short.
-- Where bytes ended it, it has looked at as many as it may.
-- gives looked
WITH newest AS (
    SELECT seq FROM (
        SELECT seq FROM windlass_job WHERE :ended IS NULL AND seq < :cursor ORDER BY seq DESC LIMIT :window)
    UNION ALL
    SELECT seq FROM (
        SELECT seq FROM windlass_job
        WHERE state IN ('failed', 'cancelled') AND state = :ended AND seq < :cursor ORDER BY seq DESC LIMIT :window)
), looked AS (
    SELECT seq FROM newest WHERE :text IS NULL
    UNION ALL
    -- A text is looked for in what jobs hold, as far as :bytes reach.
    SELECT seq FROM (
        SELECT seq, sum(size) OVER before AS bytes, row_number() OVER before AS number FROM (
            SELECT newest.seq, payload_size + coalesce(octet_length(errors), 0) AS size
            FROM newest JOIN windlass_whole ON windlass_whole.seq = newest.seq WHERE :text IS NOT NULL)
        WINDOW before AS (ORDER BY seq DESC ROWS UNBOUNDED PRECEDING))
    WHERE bytes <= :bytes OR number = 1
)
SELECT iif(count(*) < (SELECT count(*) FROM newest), :window, count(*)), min(seq) FROM looked
