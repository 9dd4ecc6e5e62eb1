-- What a page asks of a job, besides the text that it looks for.
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
