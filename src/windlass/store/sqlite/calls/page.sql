-- 1. jobs
-- A page of jobs, the newest first. At most :window rows are looked at, so that a filter that finds little costs no
-- more than one that finds much. With :only (failed, cancelled or running) only jobs of that state are looked at, with
-- :tag only those that have it, by an index.
-- :meta rows (as_text, as_json) as wanted; of each row the metadata has to contain one
-- :arguments rows (as_text, by_name, first, later) as given; of each row the payload has to contain one
-- Gives how much each holds, not the jobs themselves: they are read by id, as many as one call can carry.
-- gives jobs
WITH
-- here rows_examined
SELECT seq, id,
    -- here bytes_held
FROM windlass_whole
WHERE seq IN (SELECT seq FROM examined)
-- here page_filters
AND (:text IS NULL
    OR instr(
        lower(id || ' ' || task || ' ' || queue || ' ' || coalesce(worker, '') || ' ' || coalesce(tags, '') || ' '
            -- Encrypted texts are none that users wrote: no search reads them. Behind encrypted errors there may be a
            -- line that was added without the key.
            || iif(meta GLOB '~1.*', '', coalesce(meta, '')) || ' '
            || iif(substr(whole_payload, 2, 11) = '"v":3,"f":"', '', whole_payload) || ' '
            || CASE WHEN errors IS NULL THEN '' WHEN errors NOT GLOB '~1.*' THEN errors
                WHEN instr(errors, char(10)) > 0 THEN substr(errors, instr(errors, char(10))) ELSE '' END),
        lower(:text)) > 0)
AND (:arguments IS NULL OR NOT EXISTS (
    SELECT 1 FROM jsonb_each(:arguments) AS given
    WHERE substr(whole_payload, 2, 11) = '"v":3,"f":"'
    OR (instr(whole_payload, {given.as_text}) = 0 AND instr(whole_payload, {given.by_name}) = 0
        AND instr(whole_payload, {given.first}) = 0 AND instr(whole_payload, {given.later}) = 0)))
ORDER BY seq DESC LIMIT :limit

-- 2. examined
-- How many rows were looked at and where the look ended: the next page begins there if this one came out short.
-- Where bytes ended it, it has looked at as many as it may.
-- gives examined
WITH
-- here rows_examined
SELECT iif(count(*) < (SELECT count(*) FROM newest), :window, count(*)), min(seq) FROM examined

-- 3. searches
-- Whether a text or an argument is looked for.
-- binds searches
SELECT :text IS NOT NULL OR :arguments IS NOT NULL

-- 4. unsearched
-- Which of the jobs that were looked at have encrypted texts, where a text or an argument is looked for.
-- :meta rows (as_text, as_json) as wanted
-- only if searches
-- gives unsearched
WITH
-- here rows_examined
SELECT seq
FROM windlass_whole
WHERE seq IN (SELECT seq FROM examined)
AND (substr(whole_payload, 2, 11) = '"v":3,"f":"' OR (:text IS NOT NULL AND (meta GLOB '~1.*' OR errors GLOB '~1.*')))
-- here page_filters
