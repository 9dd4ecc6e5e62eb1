-- Archived jobs of an ISO week that match, the newest first: at most :window are looked at, and no more than hold :bytes
-- together, but at least one.
-- gives jobs
-- gives next
WITH newest AS MATERIALIZED (
    -- The lengths of long texts are known without reading them.
    SELECT archive.seq, octet_length(archive.job) AS size FROM windlass_archive AS archive
    WHERE archive.week = CAST(:week AS text) COLLATE "C"
    AND archive.seq < coalesce(CAST(CAST(:cursor AS text) AS bigint), 9223372036854775807)
    ORDER BY archive.seq DESC LIMIT CAST(:window AS bigint)
), examined AS MATERIALIZED (
    SELECT sized.seq, sized.size FROM (
        SELECT newest.seq, newest.size, sum(CAST(newest.size AS double precision)) OVER before AS bytes,
            row_number() OVER before AS place
        FROM newest WINDOW before AS (ORDER BY newest.seq DESC ROWS UNBOUNDED PRECEDING)) AS sized
    WHERE sized.bytes <= CAST(:bytes AS bigint) OR sized.place = 1
), found AS (
    SELECT examined.seq, examined.size FROM examined CROSS JOIN LATERAL (
        SELECT CAST(archive.job AS json) AS job FROM windlass_archive AS archive
        WHERE archive.week = CAST(:week AS text) COLLATE "C" AND archive.seq = examined.seq LIMIT 1) AS archived
    WHERE (CAST(:task AS text) IS NULL OR archived.job ->> 'task' = CAST(:task AS text))
    AND (CAST(:queue AS text) IS NULL OR archived.job ->> 'queue' = CAST(:queue AS text))
    AND (CAST(:state AS text) IS NULL OR archived.job ->> 'state' = CAST(:state AS text))
    AND (CAST(:since AS bigint) IS NULL OR CAST(archived.job ->> 'finished_at' AS bigint) >= CAST(:since AS bigint))
    AND (CAST(:until AS bigint) IS NULL OR CAST(archived.job ->> 'finished_at' AS bigint) < CAST(:until AS bigint))
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({ArchivedPlace; week = CAST(:week AS text); seq = found.seq;
            size = found.size; cursor = CAST(found.seq + 1 AS text)}) ORDER BY found.seq DESC), '[]') FROM found) AS jobs,
    -- Where the next page begins; null after the last.
    (SELECT json_build_array(json_build_array(
            CASE WHEN count(*) = CAST(:window AS bigint) OR count(*) < (SELECT count(*) FROM newest)
                THEN CAST(min(examined.seq) AS text) END)) FROM examined) AS next
