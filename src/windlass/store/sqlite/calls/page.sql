-- 1. jobs
-- A page of jobs, the newest first. At most :window rows are looked at, so that a filter that finds little costs no
-- more than one that finds much. With :only (failed, cancelled or running) only jobs of that state are looked at, with
-- :tag only those that have it, by an index.
-- :meta rows (as_text, as_json) as wanted; of each row the metadata has to contain one
-- Gives how much each holds, not the jobs themselves: they are read by id, as many as one call can carry.
-- gives jobs
WITH
-- here rows_examined
SELECT seq, id, payload_size + coalesce(octet_length(meta), 0) + coalesce(octet_length(result), 0)
    + coalesce(octet_length(errors), 0) + coalesce(octet_length(progress), 0)
FROM windlass_whole
WHERE seq IN (SELECT seq FROM examined)
AND (:states IS NULL OR state IN (SELECT value FROM jsonb_each(:states)))
AND (:queue IS NULL OR queue = :queue)
AND (:task IS NULL OR task = :task)
AND (:reason IS NULL OR reason = :reason)
AND (:cause IS NULL OR cause = :cause)
AND (:since IS NULL OR created_at >= :since)
AND (:until IS NULL OR created_at < :until)
AND (:finished_before IS NULL OR finished_at < :finished_before)
AND (:running_for IS NULL OR :now - claimed_at >= :running_for)
AND (:meta IS NULL OR NOT EXISTS (
    SELECT 1 FROM jsonb_each(:meta) AS wanted
    WHERE instr(coalesce(meta, ''), {wanted.as_text}) = 0 AND instr(coalesce(meta, ''), {wanted.as_json}) = 0))
AND (:text IS NULL
    OR instr(
        lower(id || ' ' || task || ' ' || coalesce(tags, '') || ' ' || coalesce(meta, '') || ' ' || whole_payload || ' '
            || coalesce(errors, '')),
        lower(:text)) > 0)
ORDER BY seq DESC LIMIT :limit

-- 2. examined
-- How many rows were looked at and where the look ended: the next page begins there if this one came out short.
-- Where bytes ended it, it has looked at as many as it may.
-- gives examined
WITH
-- here rows_examined
SELECT iif(count(*) < (SELECT count(*) FROM newest), :window, count(*)), min(seq) FROM examined
