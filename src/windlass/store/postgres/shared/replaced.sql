-- Which of the call's jobs gave their arguments to another, and how that one waits now. A job that others have moved
-- since this statement began is looked at again. Needs replace; columns.
-- gives replaced
    , (SELECT coalesce(json_agg(json_build_array(source, waiting)), '[]') FROM replaced) AS replaced
    , CAST(CASE WHEN EXISTS (
        SELECT 1 FROM target WHERE target.seq NOT IN (SELECT replaced.seq FROM replaced)
        AND coalesce(
            (SELECT 1 FROM windlass_blocked AS blocked WHERE blocked.seq = target.seq),
            (SELECT 1 FROM windlass_ready AS ready
                WHERE ready.queue = target.queue AND ready.suspect = ANY (ARRAY[false, true])
                AND ready.priority = target.priority AND ready.since = target.run_at AND ready.seq = target.seq
                AND (ready.gate IS NULL OR target.keeps_key)),
            (SELECT 1 FROM windlass_due AS due WHERE due.run_at = target.run_at AND due.seq = target.seq)) = 1
    ) THEN 'windlass: try again' ELSE '0' END AS integer) AS moved_meanwhile
