-- How long after run_at a job may start at the latest, and the instant that this makes; of a job that has started without
-- completing there is no instant any more. A process that was started before this step starts such jobs all the same.

ALTER TABLE windlass_job ADD COLUMN expires INTEGER;
ALTER TABLE windlass_job ADD COLUMN start_by INTEGER;
-- Only jobs with an expiry are in it, and only while they wait.
CREATE INDEX windlass_job_expiry ON windlass_job (start_by, seq)
    WHERE start_by IS NOT NULL AND state IN ('scheduled', 'pending', 'blocked');
