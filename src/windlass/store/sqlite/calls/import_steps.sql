-- 1. steps
-- Stores the steps of a job of another store. What is recorded under a name already stays.
-- :steps rows (StepRecord)
INSERT INTO windlass_step (seq, {StepRecord})
SELECT job.seq, {steps.StepRecord} FROM jsonb_each(:steps) CROSS JOIN windlass_job AS job WHERE job.id = :id
ON CONFLICT (seq, name) DO NOTHING

-- 2. wait
-- The event of a job that waits may be here already.
UPDATE windlass_step SET is_new = 1
WHERE seq = (SELECT job.seq FROM windlass_job AS job WHERE job.id = :id) AND event IS NOT NULL AND ended_at IS NULL

-- 3. job
UPDATE windlass_job SET has_steps = 1 WHERE id = :id
