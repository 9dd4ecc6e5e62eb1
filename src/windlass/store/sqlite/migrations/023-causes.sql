-- The fingerprint of the error of a job that has failed for good. Jobs that failed before this step, or in a process that was
-- started before it, have none: they are grouped by the type of their error.

ALTER TABLE windlass_job ADD COLUMN cause TEXT;
