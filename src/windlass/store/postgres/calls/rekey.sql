-- Replaces texts of jobs, of steps and of events, each only if it is still the old one.
-- :texts rows (NewTexts)
-- :steps rows (NewStepText)
-- :events rows (NewEventText)
--
-- Every row is locked with SKIP LOCKED, so this waits for none, and what waits for it waits for one short statement. LATERAL and OFFSET 0 as in
-- cycle.
WITH given AS MATERIALIZED (
    SELECT {texts.NewTexts; named; cast numbers as bigint} FROM jsonb_array_elements(CAST(:texts AS jsonb))
), job AS MATERIALIZED (
    SELECT found.place, given.* FROM given CROSS JOIN LATERAL (
        SELECT job.ctid AS place FROM windlass_job AS job WHERE job.seq = given.seq FOR UPDATE SKIP LOCKED) AS found
), finished AS MATERIALIZED (
    SELECT found.place, given.* FROM given CROSS JOIN LATERAL (
        SELECT finished.ctid AS place FROM windlass_finished AS finished
        WHERE finished.seq = given.seq FOR UPDATE SKIP LOCKED) AS found
), running AS MATERIALIZED (
    SELECT found.place, given.* FROM given CROSS JOIN LATERAL (
        SELECT running.ctid AS place FROM windlass_running AS running
        WHERE running.seq = given.seq FOR UPDATE SKIP LOCKED) AS found
    WHERE given.progress IS NOT NULL
), new_steps AS MATERIALIZED (
    SELECT {steps.NewStepText; named; cast numbers as bigint} FROM jsonb_array_elements(CAST(:steps AS jsonb))
), step AS MATERIALIZED (
    SELECT found.place, new_steps.new FROM new_steps CROSS JOIN LATERAL (
        SELECT step.ctid AS place FROM windlass_step AS step
        WHERE step.seq = new_steps.seq AND step.name = new_steps.name AND step.result = new_steps.old
        FOR UPDATE SKIP LOCKED) AS found
), new_events AS MATERIALIZED (
    SELECT {events.NewEventText; named} FROM jsonb_array_elements(CAST(:events AS jsonb))
), sent AS MATERIALIZED (
    SELECT found.place, new_events.new FROM new_events CROSS JOIN LATERAL (
        SELECT sent.ctid AS place FROM windlass_sent AS sent
        WHERE sent.name = new_events.name AND sent.value = new_events.old FOR UPDATE SKIP LOCKED) AS found
), jobs_done AS (
    UPDATE windlass_job AS kept SET
        payload = CASE WHEN kept.payload = job.old_payload THEN job.payload ELSE kept.payload END,
        meta = CASE WHEN kept.meta = job.old_meta THEN job.meta ELSE kept.meta END,
        errors = CASE WHEN kept.errors = job.old_errors THEN job.errors ELSE kept.errors END,
        progress = CASE WHEN kept.progress = job.old_progress THEN job.progress ELSE kept.progress END
    FROM job WHERE kept.ctid = job.place
), finished_done AS (
    UPDATE windlass_finished AS kept SET
        result = CASE WHEN kept.result = finished.old_result THEN finished.result ELSE kept.result END,
        errors = CASE WHEN kept.errors = finished.old_errors THEN finished.errors ELSE kept.errors END,
        progress = CASE WHEN kept.progress = finished.old_progress THEN finished.progress ELSE kept.progress END
    FROM finished WHERE kept.ctid = finished.place
), running_done AS (
    UPDATE windlass_running AS kept SET progress = running.progress
    FROM running WHERE kept.ctid = running.place AND kept.progress = running.old_progress
), steps_done AS (
    UPDATE windlass_step AS kept SET result = step.new FROM step WHERE kept.ctid = step.place
)
UPDATE windlass_sent AS kept SET value = sent.new FROM sent WHERE kept.ctid = sent.place
