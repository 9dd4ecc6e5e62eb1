-- The next jobs of one queue in the order in which they would be claimed; takes nothing. Gives how much each holds, not the
-- jobs themselves: they are read by id, as many as one call can carry.
-- gives jobs
SELECT job.seq, job.id, job.size
FROM (
    SELECT ready.seq, ready.priority, ready.since, ready.suspect FROM (VALUES (false), (true)) AS place (suspect) CROSS JOIN LATERAL (
        SELECT seq, priority, since, suspect FROM windlass_ready
        WHERE windlass_ready.queue = :queue AND windlass_ready.suspect = place.suspect
        ORDER BY priority DESC, since, seq LIMIT CAST(:limit AS bigint)) AS ready
    -- A suspect comes before the others of its priority.
    ORDER BY ready.priority DESC, ready.suspect DESC, ready.since, ready.seq LIMIT CAST(:limit AS bigint)) AS next
CROSS JOIN LATERAL (
    -- The lengths of long texts are known without reading them.
    SELECT job.seq, job.id, octet_length(job.payload) + coalesce(octet_length(job.meta), 0)
        + coalesce(octet_length(job.errors), 0) + coalesce(octet_length(job.progress), 0) AS size
    FROM windlass_job AS job WHERE job.seq = next.seq LIMIT 1) AS job
ORDER BY next.priority DESC, next.suspect DESC, next.since, next.seq
