-- Whether retention lets {job} go: it is in the queue and state that are looked at, and older than :age or not younger than
-- the position (:beyond_at, :beyond_seq). A job whose result is cached stays, and one with edges: see prunable. Whether
-- any job waits, or waited, for another is found out once: nearly always none does.
    {job}.queue = :queue AND {job}.state = :state
    AND ({job}.finished_at < :now - :age OR ({job}.finished_at, {job}.seq) <= (:beyond_at, :beyond_seq))
    AND ({job}.unique_key IS NULL OR NOT
        -- here is_cached (job = {job})
    )
    AND NOT ((SELECT EXISTS (SELECT 1 FROM windlass_edge) OR EXISTS (SELECT 1 FROM windlass_member)) AND (
        -- here has_edges (seq = {job}.seq)
    ))
