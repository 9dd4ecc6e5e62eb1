-- The suspect of :queue that would be claimed next, if :number jobs are asked for.
    SELECT first.seq FROM (
        SELECT seq, priority FROM windlass_job
        WHERE queue = :queue AND state = 'pending' AND crashes + rescues > 0 AND :number > 0
        ORDER BY priority DESC, run_at, seq LIMIT 1) AS first
    WHERE
        -- here suspect_turn (suspect = first, queue = :queue)
    AND NOT EXISTS (
        -- here queue_gates (queue = :queue)
    )
