-- Running jobs that have run for :age milliseconds or longer, the longest first.
-- gives runs
SELECT {LongRun; ran_for = :now - coalesce(started_at, claimed_at, :now)} FROM windlass_job
WHERE state = 'running' AND lease > '' AND :now - coalesce(started_at, claimed_at, :now) >= :age
ORDER BY coalesce(started_at, claimed_at, :now), seq LIMIT :limit
