-- Records a step under the run's fence. What is recorded under its name already stays: this is the same call again.
-- :ran_for how long the function ran
-- :delay how long a sleep takes, null for a function that has returned
-- gives recorded
WITH
-- here clock, held_run
, recorded AS (
    INSERT INTO windlass_step (seq, name, number, kind, fence, began_at, ended_at, wake_at, result)
    SELECT held.seq, CAST(:name AS text), CAST(:number AS integer), CAST(:kind AS text), CAST(:fence AS bigint),
        clock.now - CAST(:ran_for AS bigint), CASE WHEN CAST(:delay AS bigint) IS NULL THEN clock.now END,
        clock.now + CAST(:delay AS bigint), CAST(:result AS text)
    FROM held, clock
    ON CONFLICT (seq, name) DO NOTHING
    RETURNING wake_at
),
-- here renewed_budget
SELECT coalesce(
    (SELECT recorded.wake_at FROM recorded),
    (SELECT step.wake_at FROM windlass_step AS step
        WHERE step.seq = CAST(:seq AS bigint) AND step.name = CAST(:name AS text))) - clock.now
FROM held, clock
