-- The run that has this fence, if it still has the job.
held AS MATERIALIZED (
    -- The lock keeps the run from being ended or rescued between this look and the commit.
    SELECT running.seq, running.attempt <> 0 OR running.crashes <> 0 OR running.rescues <> 0 AS has_past
    FROM windlass_running AS running
    WHERE running.seq = CAST(:seq AS bigint) AND running.fence = CAST(:fence AS bigint)
    FOR UPDATE
)
