-- Has the waits for new events looked at, the events of :limit at a time.
-- gives told
--
-- Also waits that are to be looked at already: another process may be looking at one, and not see the event yet.
WITH fresh AS MATERIALIZED (
    SELECT sent.ctid AS place, sent.number, sent.name FROM windlass_sent AS sent WHERE sent.is_new
    ORDER BY sent.number LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), known AS (
    UPDATE windlass_sent AS sent SET is_new = false FROM fresh WHERE sent.ctid = fresh.place
), replaced AS (
    -- The newest of a name counts.
    DELETE FROM windlass_sent AS older USING (
        SELECT found.place FROM fresh CROSS JOIN LATERAL (
            SELECT sent.ctid AS place FROM windlass_sent AS sent
            WHERE sent.name = fresh.name AND sent.number < fresh.number AND NOT sent.is_new
            FOR UPDATE SKIP LOCKED) AS found
    ) AS gone
    WHERE older.ctid = gone.place
), named AS MATERIALIZED (
    SELECT DISTINCT fresh.name FROM fresh ORDER BY fresh.name
), waiting AS MATERIALIZED (
    -- Locked one by one in the order of their seq, as everywhere.
    SELECT found.seq, found.name FROM named CROSS JOIN LATERAL (
        SELECT step.seq, step.name FROM windlass_step AS step
        WHERE step.event = named.name AND step.event IS NOT NULL AND step.ended_at IS NULL
        ORDER BY step.seq FOR UPDATE) AS found
), marked AS (
    -- By their key, not by their place: one that wake_waiters has changed since this statement began has another place,
    -- at which this statement sees nothing.
    UPDATE windlass_step AS step SET is_new = true FROM waiting
    WHERE step.seq = waiting.seq AND step.name = waiting.name AND waiting.seq BETWEEN 0 AND 9223372036854775807
    RETURNING step.seq
)
SELECT marked.seq FROM marked
