-- Holds off the rescue of a running job until the caller's transaction ends, as any write does: a file has one writer. It
-- changes nothing. Who asks has to look afterwards whether the job is still theirs.
-- :seq the job
UPDATE windlass_job SET fence = fence WHERE seq = :seq
