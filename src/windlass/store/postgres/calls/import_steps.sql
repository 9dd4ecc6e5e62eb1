-- Stores the steps of a job of another store. What is recorded under a name already stays.
-- :steps rows (StepRecord)
WITH owner AS MATERIALIZED (
    SELECT job.seq FROM windlass_job AS job WHERE job.id = CAST(:id AS text)
), stored AS (
    -- The event of a job that waits may be here already.
    INSERT INTO windlass_step (seq, {StepRecord}, is_new)
    SELECT owner.seq, {steps.StepRecord; cast numbers as bigint},
        CASE WHEN {steps.event} IS NOT NULL AND {steps.ended_at} IS NULL THEN true END
    FROM owner, jsonb_array_elements(CAST(:steps AS jsonb))
    ON CONFLICT (seq, name) DO NOTHING
)
UPDATE windlass_job AS job SET has_steps = true FROM owner
WHERE job.seq = owner.seq AND owner.seq BETWEEN 0 AND 9223372036854775807
