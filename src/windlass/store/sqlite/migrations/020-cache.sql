-- For how long the result of a task is kept as the answer to equal calls: from the end of the run the job's unique key is
-- held for that long. How many bytes the result has, so that all of them can be bounded. What a process completes that
-- was started before this step is not cached.

ALTER TABLE windlass_key ADD COLUMN cached_for INTEGER;
ALTER TABLE windlass_key ADD COLUMN bytes INTEGER;
CREATE INDEX windlass_key_cached ON windlass_key (expires_at) WHERE cached_for IS NOT NULL AND expires_at IS NOT NULL;
