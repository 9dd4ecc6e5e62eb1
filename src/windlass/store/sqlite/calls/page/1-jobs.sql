-- A page of jobs, the newest first. At most :window rows are looked at, so that a filter that finds little costs no
-- more than one that finds much. With :ended (failed or cancelled) only jobs of that state are looked at, by an index.
-- gives jobs as json
WITH looked AS (
    SELECT seq FROM (
        SELECT seq FROM windlass_job WHERE :ended IS NULL AND seq < :cursor ORDER BY seq DESC LIMIT :window)
    UNION ALL
    SELECT seq FROM (
        SELECT seq FROM windlass_job
        WHERE state IN ('failed', 'cancelled') AND state = :ended AND seq < :cursor ORDER BY seq DESC LIMIT :window)
)
SELECT CAST(json_group_array(json_array(
    seq, id, task, queue, state, reason, priority, payload, meta, attempt, max_attempts, crashes, rescues, run_at,
    created_at, promoted_at, claimed_at, started_at, finished_at, timeout, fence, lease, worker, cancel_requested_at,
    unique_key, progress, result, errors, retry, unknown_at)) AS BLOB)
FROM (
    SELECT * FROM windlass_job
    WHERE seq IN (SELECT seq FROM looked)
    AND (:states IS NULL OR state IN (SELECT value FROM jsonb_each(:states)))
    AND (:queue IS NULL OR queue = :queue)
    AND (:task IS NULL OR task = :task)
    AND (:reason IS NULL OR reason = :reason)
    AND (:since IS NULL OR created_at >= :since)
    AND (:until IS NULL OR created_at < :until)
    AND (:finished_before IS NULL OR finished_at < :finished_before)
    AND (:text IS NULL
        OR instr(lower(id || ' ' || task || ' ' || payload || ' ' || coalesce(errors, '')), lower(:text)) > 0)
    ORDER BY seq DESC LIMIT :limit
)
