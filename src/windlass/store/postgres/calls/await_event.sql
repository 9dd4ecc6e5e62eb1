-- Records what has come of a wait for an event, or that the job waits; what is recorded already stays. An event counts that
-- was sent since 7 days before the wait began.
-- :timeout how long the job waits at the most, or null
-- gives outcome
--
-- An event that is committed while this runs is not seen; neither is the wait seen by the call that tells of the event. So a
-- wait begins as one that is to be looked at (wake_waiters).
WITH
-- here clock, held_run
, known AS MATERIALIZED (
    SELECT step.began_at, step.wake_at, step.ended_at, step.kind, step.result FROM windlass_step AS step
    WHERE step.seq = CAST(:seq AS bigint) AND step.name = CAST(:name AS text)
), term AS MATERIALIZED (
    SELECT clock.now, coalesce(known.began_at, clock.now) AS began_at,
        CASE WHEN known.began_at IS NULL THEN clock.now + CAST(:timeout AS bigint) ELSE known.wake_at END AS wake_at,
        known.ended_at, known.kind, known.result
    FROM clock LEFT JOIN known ON true
), found AS MATERIALIZED (
    SELECT sent.value FROM windlass_sent AS sent, term
    WHERE sent.name = CAST(:event AS text) AND sent.sent_at > term.began_at - 604800000
    ORDER BY sent.number DESC LIMIT 1
), outcome AS MATERIALIZED (
    SELECT term.began_at, term.wake_at, term.now, term.ended_at IS NOT NULL AS was_over,
        CASE WHEN term.ended_at IS NOT NULL THEN term.kind
            WHEN NOT EXISTS (SELECT 1 FROM found) AND term.wake_at <= term.now THEN 'timeout' ELSE 'event' END AS kind,
        CASE WHEN term.ended_at IS NOT NULL THEN term.ended_at
            WHEN EXISTS (SELECT 1 FROM found) OR term.wake_at <= term.now THEN term.now END AS ended_at,
        CASE WHEN term.ended_at IS NOT NULL THEN term.result ELSE (SELECT found.value FROM found) END AS result
    FROM term
), recorded AS (
    INSERT INTO windlass_step AS step (seq, name, number, kind, fence, began_at, ended_at, wake_at, event, result, is_new)
    SELECT held.seq, CAST(:name AS text), CAST(:number AS integer), outcome.kind, CAST(:fence AS bigint),
        outcome.began_at, outcome.ended_at, outcome.wake_at, CAST(:event AS text), outcome.result,
        CASE WHEN outcome.ended_at IS NULL THEN true END
    FROM held, outcome WHERE NOT outcome.was_over
    ON CONFLICT (seq, name) DO UPDATE SET kind = excluded.kind, fence = excluded.fence, ended_at = excluded.ended_at,
        result = excluded.result, is_new = excluded.is_new
),
-- here renewed_budget
SELECT outcome.kind, outcome.ended_at IS NOT NULL, outcome.wake_at - outcome.now, outcome.result FROM held, outcome
