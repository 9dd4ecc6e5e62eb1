-- A page of jobs, the newest first. At most :window rows are looked at, so that a filter that finds little costs no
-- more than one that finds much. With :only (failed, cancelled or running) only jobs of that state are looked at, with
-- :tag only those that have it, by an index.
-- :meta rows (as_text, as_json) as wanted; of each row the metadata has to contain one
-- :arguments rows (as_text, by_name, first, later) as given; of each row the payload has to contain one
-- Gives how much each holds, not the jobs themselves: they are read by id, as many as one call can carry.
-- gives jobs
-- gives examined
-- gives unsearched
WITH
-- here clock
, newest AS MATERIALIZED (
    (SELECT seq FROM windlass_job
        WHERE CAST(:only AS text) IS NULL AND CAST(:tag AS text) IS NULL AND seq < CAST(:cursor AS bigint)
        ORDER BY seq DESC LIMIT CAST(:window AS bigint))
    UNION ALL
    -- Written as a range, in an order that only the index of dead letters has: by seq alone the planner would walk all
    -- finished jobs for the few that failed.
    (SELECT seq FROM windlass_finished
        WHERE state IN ('failed', 'cancelled') AND state >= CAST(:only AS text)
        AND (state, seq) < (CAST(:only AS text), CAST(:cursor AS bigint)) AND CAST(:tag AS text) IS NULL
        ORDER BY state DESC, seq DESC LIMIT CAST(:window AS bigint))
    UNION ALL
    (SELECT seq FROM windlass_running
        WHERE CAST(:only AS text) = 'running' AND CAST(:tag AS text) IS NULL AND seq < CAST(:cursor AS bigint)
        ORDER BY seq DESC LIMIT CAST(:window AS bigint))
    UNION ALL
    (SELECT seq FROM windlass_tag WHERE tag = CAST(:tag AS text) AND seq < CAST(:cursor AS bigint)
        ORDER BY seq DESC LIMIT CAST(:window AS bigint))
), examined AS MATERIALIZED (
    SELECT seq FROM newest
    WHERE CAST(:text AS text) IS NULL AND CAST(:meta AS jsonb) IS NULL AND CAST(:arguments AS jsonb) IS NULL
    UNION ALL
    -- A text is looked for in what jobs hold, as far as :bytes reach; the lengths are known without reading them.
    SELECT sized.seq FROM (
        SELECT newest.seq, row_number() OVER before AS number,
            sum(coalesce(job.size, 0) + CAST(coalesce(finished.size, 0) AS double precision)) OVER before AS bytes
        FROM newest
        LEFT JOIN LATERAL (
            SELECT CASE WHEN CAST(:text AS text) IS NULL AND CAST(:arguments AS jsonb) IS NULL THEN 0
                ELSE octet_length(payload) END
                + CASE WHEN CAST(:text AS text) IS NULL THEN 0 ELSE coalesce(octet_length(errors), 0) END
                + coalesce(octet_length(meta), 0) AS size
            FROM windlass_job AS job WHERE job.seq = newest.seq LIMIT 1) AS job ON true
        LEFT JOIN LATERAL (
            SELECT octet_length(errors) AS size
            FROM windlass_finished AS finished WHERE finished.seq = newest.seq LIMIT 1) AS finished ON true
        WHERE CAST(:text AS text) IS NOT NULL OR CAST(:meta AS jsonb) IS NOT NULL
        OR CAST(:arguments AS jsonb) IS NOT NULL
        WINDOW before AS (ORDER BY newest.seq DESC ROWS UNBOUNDED PRECEDING)) AS sized
    WHERE sized.bytes <= CAST(:bytes AS bigint) OR sized.number = 1
), kept AS NOT MATERIALIZED (
    -- One look into the indexes for each of them, the newest first, until the page is full; first at what the job's own
    -- row can decide.
    SELECT newest.seq AS place, job.* FROM (SELECT seq FROM examined ORDER BY seq DESC) AS newest
    CROSS JOIN LATERAL (
        SELECT job.seq FROM windlass_job AS job
        WHERE job.seq = newest.seq
        AND (CAST(:queue AS text) IS NULL OR job.queue = :queue)
        AND (CAST(:task AS text) IS NULL OR job.task = :task)
        AND (CAST(:since AS bigint) IS NULL OR job.created_at >= CAST(:since AS bigint))
        AND (CAST(:until AS bigint) IS NULL OR job.created_at < CAST(:until AS bigint))
        LIMIT 1) AS near
    CROSS JOIN LATERAL (SELECT * FROM windlass_record WHERE windlass_record.seq = near.seq LIMIT 1) AS job
    WHERE (CAST(:states AS jsonb) IS NULL
        OR job.state = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:states AS jsonb)))))
    AND (CAST(:reason AS text) IS NULL OR job.reason = :reason)
    AND (CAST(:cause AS text) IS NULL OR job.cause = :cause)
    AND (CAST(:finished_before AS bigint) IS NULL OR job.finished_at < CAST(:finished_before AS bigint))
    AND (CAST(:running_for AS bigint) IS NULL
        OR (SELECT now FROM clock) - job.claimed_at >= CAST(:running_for AS bigint))
    AND (CAST(:meta AS jsonb) IS NULL OR NOT EXISTS (
        SELECT 1 FROM jsonb_array_elements(CAST(:meta AS jsonb)) AS wanted
        WHERE strpos(coalesce(job.meta, ''), {wanted.as_text}) = 0
        AND strpos(coalesce(job.meta, ''), {wanted.as_json}) = 0))
), found AS MATERIALIZED (
    SELECT * FROM kept AS job
    WHERE (CAST(:arguments AS jsonb) IS NULL OR NOT EXISTS (
        SELECT 1 FROM jsonb_array_elements(CAST(:arguments AS jsonb)) AS given
        WHERE substr(job.payload, 2, 11) = '"v":3,"f":"'
        OR (strpos(job.payload, {given.as_text}) = 0 AND strpos(job.payload, {given.by_name}) = 0
            AND strpos(job.payload, {given.first}) = 0 AND strpos(job.payload, {given.later}) = 0)))
    AND (CAST(:text AS text) IS NULL OR strpos(
        lower(job.id || ' ' || job.task || ' ' || job.queue || ' ' || coalesce(job.worker, '') || ' '
            || coalesce(job.tags, '') || ' '
            -- Encrypted texts are none that users wrote: no search reads them. Behind encrypted errors there may be a
            -- line that was added without the key.
            || CASE WHEN starts_with(job.meta, '~1.') THEN '' ELSE coalesce(job.meta, '') END || ' '
            || CASE WHEN substr(job.payload, 2, 11) = '"v":3,"f":"' THEN '' ELSE job.payload END || ' '
            || CASE WHEN starts_with(job.errors, '~1.') THEN substr(job.errors, strpos(job.errors || chr(10), chr(10)))
                ELSE coalesce(job.errors, '') END),
        lower(CAST(:text AS text) COLLATE "C")) > 0)
    ORDER BY place DESC LIMIT CAST(:limit AS bigint)
), unsearched AS (
    -- Which of them have encrypted texts, where a text or an argument is looked for.
    SELECT job.seq FROM kept AS job
    WHERE (CAST(:text AS text) IS NOT NULL OR CAST(:arguments AS jsonb) IS NOT NULL)
    AND (substr(job.payload, 2, 11) = '"v":3,"f":"' OR (CAST(:text AS text) IS NOT NULL
        AND (starts_with(job.meta, '~1.') OR starts_with(job.errors, '~1.'))))
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(
            seq, id, octet_length(payload) + coalesce(octet_length(meta), 0) + coalesce(octet_length(result), 0)
                + coalesce(octet_length(errors), 0) + coalesce(octet_length(progress), 0)
        ) ORDER BY seq DESC), '[]')
        FROM found) AS jobs,
    -- How many rows were looked at and where the look ended: the next page begins there if this one came out short. Where
    -- bytes ended it, it has looked at as many as it may.
    (SELECT json_build_array(json_build_array(
            CASE WHEN count(*) < (SELECT count(*) FROM newest) THEN CAST(:window AS bigint) ELSE count(*) END, min(seq)))
        FROM examined) AS examined,
    (SELECT coalesce(json_agg(json_build_array(seq)), '[]') FROM unsearched) AS unsearched
