-- Attempts that ended without completing their job: JSON, the number of those that were left out, then the first and the
-- newest. A process that was started before this step adds none, and leaves what is there as it is.

ALTER TABLE windlass_job ADD COLUMN attempts TEXT;
