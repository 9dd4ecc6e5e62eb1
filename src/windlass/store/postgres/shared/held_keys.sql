-- The unique keys of {keys} that are held, as kept: with the job that holds each, and its state. A key whose window has
-- passed, or whose job has started, has ended or is gone, is free. Needs clock.
kept AS MATERIALIZED (
    SELECT key.key, key.id, holder.state
    FROM (SELECT DISTINCT {keys}.key FROM {keys}) AS wanted CROSS JOIN LATERAL (
        SELECT key, id, until, expires_at FROM windlass_key AS held WHERE held.key = wanted.key OFFSET 0
    ) AS key CROSS JOIN LATERAL (
        SELECT state, attempt, started_at FROM windlass_record AS record
        WHERE record.id = key.id OFFSET 0) AS holder
    WHERE (key.expires_at IS NULL OR key.expires_at > (SELECT now FROM clock)) AND
        -- here holds
)
