-- Whether retention lets {job} go: it is in the queue and state that are looked at, and older than :age or not younger than
-- the position (:beyond_at, :beyond_seq). A job whose result is cached stays, and one with edges: see prunable.
    {job}.queue = :queue AND {job}.state = :state
    AND ({job}.finished_at < :now - :age OR ({job}.finished_at, {job}.seq) <= (:beyond_at, :beyond_seq))
    AND ({job}.unique_key IS NULL OR NOT
        -- here is_cached (job = {job})
    )
    AND ({job}.linked = 0 OR NOT (
        -- here has_edges (seq = {job}.seq)
    ))
