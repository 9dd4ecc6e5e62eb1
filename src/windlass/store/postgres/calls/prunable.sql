-- Finished jobs of one queue and state behind the position (:after_at, :after_seq) that are older than :age, or not
-- younger than the position (:beyond_at, :beyond_seq), the oldest first. Only what it takes to delete them.
-- :flows 1 for those that wait, or waited, for others, or others for them; 0 for all others
-- gives jobs
-- gives vanished
WITH
-- here clock
, old AS MATERIALIZED (
    SELECT finished_at, seq, fence, coalesce(octet_length(result), 0) + coalesce(octet_length(errors), 0) AS size
    FROM windlass_finished WHERE state = :state AND queue = :queue
    AND (finished_at, seq) > (CAST(:after_at AS bigint), CAST(:after_seq AS bigint))
    -- bounds the walk through the index; what follows is exact
    AND finished_at <= greatest((SELECT now FROM clock) - CAST(:age AS bigint) - 1, CAST(:beyond_at AS bigint))
    AND (finished_at < (SELECT now FROM clock) - CAST(:age AS bigint)
        OR (finished_at, seq) <= (CAST(:beyond_at AS bigint), CAST(:beyond_seq AS bigint)))
    AND NOT coalesce((
        SELECT
            -- here is_cached (job = job)
        FROM windlass_job AS job WHERE job.seq = windlass_finished.seq), false)
    AND
        -- here has_edges (seq = windlass_finished.seq)
    <> 1 - CAST(:flows AS integer)
    ORDER BY finished_at, seq LIMIT CAST(:limit AS bigint)
), known AS MATERIALIZED (
    SELECT old.finished_at, old.seq, old.fence, job.id, old.size + job.size AS size
    FROM old LEFT JOIN LATERAL (
        -- The lengths of long texts are known without reading them. Archives take steps along.
        SELECT id, octet_length(payload) + coalesce(octet_length(meta), 0) + coalesce(octet_length(errors), 0)
            + CASE WHEN has_steps THEN (
                SELECT coalesce(sum(octet_length(step.result)), 0) FROM (
                    SELECT result FROM windlass_step WHERE windlass_step.seq = old.seq OFFSET 0) AS step)
            ELSE 0 END AS size
        FROM windlass_job AS job WHERE job.seq = old.seq OFFSET 0) AS job ON true
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(seq, id, size, fence, finished_at) ORDER BY finished_at, seq), '[]')
        FROM known WHERE id IS NOT NULL) AS jobs,
    -- Jobs whose rows were deleted.
    (SELECT json_agg(json_build_array(seq, CAST(:queue AS text), CAST(:state AS text)) ORDER BY seq) FROM known
        WHERE id IS NULL) AS vanished
