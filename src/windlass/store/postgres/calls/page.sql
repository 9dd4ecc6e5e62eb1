-- A page of jobs, the newest first. At most :window rows are looked at, so that a filter that finds little costs no
-- more than one that finds much. With :ended (failed or cancelled) only jobs of that state are looked at, by an index.
-- gives jobs as json
-- gives looked
WITH looked AS MATERIALIZED (
    (SELECT seq FROM windlass_job WHERE CAST(:ended AS text) IS NULL AND seq < CAST(:cursor AS bigint)
        ORDER BY seq DESC LIMIT CAST(:window AS bigint))
    UNION ALL
    (SELECT seq FROM windlass_job
        WHERE state IN ('failed', 'cancelled') AND state = :ended AND seq < CAST(:cursor AS bigint)
        ORDER BY seq DESC LIMIT CAST(:window AS bigint))
), found AS (
    SELECT * FROM windlass_job
    WHERE seq IN (SELECT seq FROM looked)
    AND (CAST(:states AS jsonb) IS NULL
        OR state = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:states AS jsonb)))))
    AND (CAST(:queue AS text) IS NULL OR queue = :queue)
    AND (CAST(:task AS text) IS NULL OR task = :task)
    AND (CAST(:reason AS text) IS NULL OR reason = :reason)
    AND (CAST(:since AS bigint) IS NULL OR created_at >= CAST(:since AS bigint))
    AND (CAST(:until AS bigint) IS NULL OR created_at < CAST(:until AS bigint))
    AND (CAST(:finished_before AS bigint) IS NULL OR finished_at < CAST(:finished_before AS bigint))
    AND (CAST(:text AS text) IS NULL
        OR strpos(lower(id || ' ' || task || ' ' || payload || ' ' || coalesce(errors, '')), lower(:text)) > 0)
    ORDER BY seq DESC LIMIT CAST(:limit AS bigint)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(
            seq, id, task, queue, state, reason, priority, payload, meta, attempt, max_attempts, crashes, rescues,
            run_at, created_at, promoted_at, claimed_at, started_at, finished_at, timeout, fence, lease, worker,
            cancel_requested_at, unique_key, progress, result, errors, retry, unknown_at
        ) ORDER BY seq DESC), '[]')
        FROM found) AS jobs,
    -- How many rows were looked at and where the look ended: the next page begins there if this one came out short.
    (SELECT json_build_array(json_build_array(count(*), min(seq))) FROM looked) AS looked
