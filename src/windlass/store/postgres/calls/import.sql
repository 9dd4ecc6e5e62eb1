-- Stores jobs of another store as they are, in their order, with their past and their keys; only the seq is this
-- store's own. What is there already stays as it is.
-- :jobs rows as JobRecord; none of them runs
-- :events rows (id, at, kind, worker, fence, detail)
-- :keys rows (key, id, until, expires_at)
-- gives stored
WITH clock AS (
-- here clock
), given AS MATERIALIZED (
    SELECT place, value FROM jsonb_array_elements(CAST(:jobs AS jsonb)) WITH ORDINALITY AS item (value, place)
), stored AS (
    INSERT INTO windlass_job (
        id, task, queue, waiting, reason, priority, payload, meta, attempt, max_attempts, crashes, rescues, run_at,
        created_at, promoted_at, claimed_at, started_at, timeout, fence, worker, unique_key, progress, errors, retry,
        unknown_at)
    SELECT value ->> 1, value ->> 2, value ->> 3,
        CASE WHEN value ->> 4 IN ('completed', 'failed', 'cancelled') THEN 'pending' ELSE value ->> 4 END,
        value ->> 5, CAST(value ->> 6 AS integer), value ->> 7, value ->> 8, CAST(value ->> 9 AS integer),
        CAST(value ->> 10 AS integer), CAST(value ->> 11 AS integer), CAST(value ->> 12 AS integer),
        CAST(value ->> 13 AS bigint), CAST(value ->> 14 AS bigint), CAST(value ->> 15 AS bigint),
        CAST(value ->> 16 AS bigint), CAST(value ->> 17 AS bigint), CAST(value ->> 19 AS bigint),
        CAST(value ->> 20 AS bigint), value ->> 22, value ->> 24, value ->> 25, value ->> 27, value ->> 28,
        CAST(value ->> 29 AS bigint)
    FROM given ORDER BY place
    ON CONFLICT (id) DO NOTHING
    RETURNING seq, id, queue, priority, waiting, run_at, crashes + rescues > 0 AS suspect
), arrived AS MATERIALIZED (
    SELECT stored.*, given.value, given.value ->> 4 AS state
    FROM stored JOIN given ON given.value ->> 1 = stored.id
), ready AS (
    INSERT INTO windlass_ready (seq, priority, since, queue, suspect)
    SELECT seq, priority, run_at, queue, suspect FROM arrived WHERE state = 'pending' ORDER BY seq
), due AS (
    INSERT INTO windlass_due (seq, run_at, state, queue)
    SELECT seq, run_at, state, queue FROM arrived WHERE state IN ('scheduled', 'retrying') ORDER BY seq
), finished AS (
    INSERT INTO windlass_finished (
        seq, fence, finished_at, claimed_at, started_at, cancel_requested_at, attempt, crashes, rescues, state, queue,
        reason, worker, progress, result, errors, tallied)
    SELECT seq, CAST(value ->> 20 AS bigint), CAST(value ->> 18 AS bigint), CAST(value ->> 16 AS bigint),
        CAST(value ->> 17 AS bigint), CAST(value ->> 23 AS bigint), CAST(value ->> 9 AS integer),
        CAST(value ->> 11 AS integer), CAST(value ->> 12 AS integer), state, queue, value ->> 5, value ->> 22,
        value ->> 25, value ->> 26, value ->> 27, true
    FROM arrived WHERE state IN ('completed', 'failed', 'cancelled') ORDER BY seq
    RETURNING queue, state
-- here tally
), past AS (
    INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
    SELECT arrived.seq, CAST(event.value ->> 1 AS bigint), event.value ->> 2, event.value ->> 3,
        CAST(event.value ->> 4 AS bigint), event.value ->> 5
    FROM jsonb_array_elements(CAST(:events AS jsonb)) WITH ORDINALITY AS event (value, place)
    JOIN arrived ON arrived.id = event.value ->> 0
    ORDER BY event.place
), held AS (
    INSERT INTO windlass_key AS key (key, id, until, expires_at)
    SELECT value ->> 0, value ->> 1, value ->> 2, CAST(value ->> 3 AS bigint)
    FROM jsonb_array_elements(CAST(:keys AS jsonb))
    ORDER BY (value ->> 0) COLLATE "C"
    ON CONFLICT (key) DO UPDATE SET id = excluded.id, until = excluded.until, expires_at = excluded.expires_at
    -- A key is free whose window is over, or whose job has started, has ended or is gone; the latter only of a row that is as old
    -- as this statement, which cannot see the job of a newer one.
    WHERE key.expires_at <= (SELECT now FROM clock)
    OR (
        key.xmin = (SELECT seen.xmin FROM windlass_key AS seen WHERE seen.key = excluded.key)
        AND NOT EXISTS (
            SELECT 1 FROM windlass_record AS holder
            WHERE holder.id = key.id AND
-- here holds
        ))
)
SELECT count(*) FROM stored
