-- Sets right what check_jobs has found, where that is still so: a job that stands nowhere, or where it is not looked for, is
-- ready, one that stands in two places leaves that where it waits, and what waits for nothing is ready.
-- :found rows (seq, kind) as found
WITH
-- here clock
, found AS MATERIALIZED (
    SELECT CAST({found.seq} AS bigint) AS seq, {found.kind} AS kind FROM jsonb_array_elements(CAST(:found AS jsonb)) AS found
), job AS MATERIALIZED (
    SELECT DISTINCT job.* FROM found CROSS JOIN LATERAL (
        SELECT seq, run_at, priority, queue, start_by, crashes, rescues, waiting FROM windlass_job AS job
        WHERE job.seq = found.seq OFFSET 0) AS job
), ended AS MATERIALIZED (
    SELECT job.seq FROM job WHERE
        (SELECT running.seq FROM windlass_running AS running WHERE running.seq = job.seq) IS NOT NULL
        OR (SELECT finished.seq FROM windlass_finished AS finished WHERE finished.seq = job.seq) IS NOT NULL
), not_ready AS (
    DELETE FROM windlass_ready AS ready USING job
    WHERE ready.queue = job.queue AND ready.suspect = ANY (ARRAY[false, true]) AND ready.priority = job.priority
    AND ready.since = job.run_at AND ready.seq = job.seq
    AND job.seq IN (SELECT ended.seq FROM ended) AND job.seq IN (SELECT found.seq FROM found WHERE kind = 'two_places')
), not_due AS (
    DELETE FROM windlass_due AS due USING job
    WHERE due.run_at = job.run_at AND due.seq = job.seq
    AND job.seq IN (SELECT ended.seq FROM ended) AND job.seq IN (SELECT found.seq FROM found WHERE kind = 'two_places')
), not_blocked AS (
    DELETE FROM windlass_blocked AS blocked USING job
    WHERE blocked.seq = job.seq AND (
        (job.seq IN (SELECT ended.seq FROM ended) AND job.seq IN (SELECT found.seq FROM found WHERE kind = 'two_places'))
        OR (blocked.gate = 'parents' AND job.seq IN (SELECT found.seq FROM found WHERE kind = 'no_edges')))
    RETURNING blocked.seq, blocked.gate
), lost AS MATERIALIZED (
    SELECT job.* FROM job JOIN found ON found.seq = job.seq
    WHERE job.seq NOT IN (SELECT ended.seq FROM ended) AND (
        (found.kind = 'no_edges' AND job.seq IN (SELECT not_blocked.seq FROM not_blocked))
        OR (found.kind = 'no_place'
            AND NOT EXISTS (SELECT 1 FROM windlass_ready AS ready
                WHERE ready.queue = job.queue AND ready.suspect = ANY (ARRAY[false, true])
                AND ready.priority = job.priority AND ready.since = job.run_at AND ready.seq = job.seq)
            AND NOT EXISTS (SELECT 1 FROM windlass_due AS due WHERE due.run_at = job.run_at AND due.seq = job.seq)
            AND NOT EXISTS (SELECT 1 FROM windlass_blocked AS blocked WHERE blocked.seq = job.seq)))
), back AS (
    UPDATE windlass_job AS job SET waiting = 'pending', reason = NULL FROM lost WHERE job.seq = lost.seq
), misplaced AS (
    -- In another queue, or among others of its queue: it would be claimed from there too, and each claim be refused.
    DELETE FROM windlass_ready AS ready USING lost WHERE ready.seq = lost.seq
), overdue AS (
    DELETE FROM windlass_due AS due USING lost WHERE due.seq = lost.seq
), looked_at AS (
    -- Promote looks again at an edge whose parent has ended or is gone, and does as the child's policy says.
    UPDATE windlass_edge AS edge SET state = 0 FROM found
    WHERE found.kind = 'stale_edge' AND edge.child = found.seq AND edge.state = 1 AND (
        (SELECT finished.seq FROM windlass_finished AS finished WHERE finished.seq = edge.parent) IS NOT NULL
        OR (SELECT parent.seq FROM windlass_job AS parent WHERE parent.seq = edge.parent) IS NULL)
), placed AS (
    INSERT INTO windlass_ready (seq, since, priority, queue, suspect, start_by)
    SELECT DISTINCT seq, run_at, priority, queue, crashes + rescues > 0, start_by FROM lost
)
INSERT INTO windlass_tag (tag, seq)
SELECT DISTINCT tag.texts[1], job.seq FROM found CROSS JOIN LATERAL (
    SELECT seq, tags FROM windlass_job WHERE windlass_job.seq = found.seq OFFSET 0) AS job
CROSS JOIN LATERAL regexp_matches(job.tags, '"([^"]+)"', 'g') AS tag (texts)
WHERE found.kind = 'no_tag'
ON CONFLICT DO NOTHING
