-- The next :limit concurrency keys behind :after, and before :before if that is given, that jobs hold: rows (name, held).
    SELECT concurrency_key AS name, sum(state = 'running' OR (state = 'pending' AND promised = 1)) AS held
    FROM windlass_job
    WHERE concurrency_key IS NOT NULL AND
        -- here may_hold_key (job = windlass_job)
    AND concurrency_key > :after AND (:before IS NULL OR concurrency_key < :before)
    GROUP BY concurrency_key HAVING held > 0 ORDER BY concurrency_key LIMIT :limit
