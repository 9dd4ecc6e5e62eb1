-- Holds off the rescue of a running job until the caller's transaction ends. Who asks has to look afterwards, in a
-- statement that begins later, whether the job is still theirs: a rescue may have come first, and is waited for here.
-- :seq the job
--
-- No row is locked: the endings, start marks and cancels of workers wait for no transaction of a caller.
SELECT pg_advisory_xact_lock_shared(
    -- here guard_lock (seq = CAST(:seq AS bigint))
)
