-- Stores jobs of another store as they are, in their order, with their past and their keys; only the seq is this
-- store's own. What is there already stays as it is.
-- :jobs rows (JobRecord) as given; none of them runs
-- :events rows (MovedEvent) as event
-- :keys rows (HeldKey)
-- gives stored
WITH
-- here clock
, given AS MATERIALIZED (
    SELECT place, value FROM jsonb_array_elements(CAST(:jobs AS jsonb)) WITH ORDINALITY AS item (value, place)
), stored AS (
    -- A job that runs has no place here, and what is known only of a finished one comes below.
    INSERT INTO windlass_job ({JobRecord; state = waiting;
        without seq, lease, finished_at, cancel_requested_at, result, cause})
    SELECT {jobs.JobRecord; cast numbers as bigint; cast priority, attempt, max_attempts, crashes, rescues as integer;
        cast attempts as jsonb;
        state = CASE WHEN {jobs.state} IN ('completed', 'failed', 'cancelled') THEN 'pending' ELSE {jobs.state} END;
        without seq, lease, finished_at, cancel_requested_at, result, cause}
    FROM given ORDER BY place
    ON CONFLICT (id) DO NOTHING
    RETURNING seq, id, queue, priority, waiting, run_at, start_by, crashes + rescues > 0 AS suspect
), arrived AS MATERIALIZED (
    SELECT stored.*, given.value, {given.state} AS state
    FROM stored JOIN given ON {given.id} = stored.id
), ready AS (
    INSERT INTO windlass_ready (seq, priority, since, queue, suspect, start_by)
    SELECT seq, priority, run_at, queue, suspect, start_by FROM arrived WHERE state = 'pending' ORDER BY seq
), due AS (
    INSERT INTO windlass_due (seq, run_at, state, queue, start_by)
    SELECT seq, run_at, state, queue, start_by FROM arrived WHERE state IN ('scheduled', 'retrying') ORDER BY seq
), blocked AS (
    -- One that is blocked waits for other jobs.
    INSERT INTO windlass_blocked (seq, since, priority, queue, start_by, gate)
    SELECT seq, run_at, priority, queue, start_by, 'parents' FROM arrived WHERE state = 'blocked' ORDER BY seq
), finished AS (
    INSERT INTO windlass_finished (
        seq, fence, finished_at, claimed_at, started_at, cancel_requested_at, attempt, crashes, rescues, state, queue,
        reason, worker, progress, result, errors, tallied, cause)
    SELECT seq, CAST({jobs.fence} AS bigint), CAST({jobs.finished_at} AS bigint), CAST({jobs.claimed_at} AS bigint),
        CAST({jobs.started_at} AS bigint), CAST({jobs.cancel_requested_at} AS bigint),
        CAST({jobs.attempt} AS integer), CAST({jobs.crashes} AS integer), CAST({jobs.rescues} AS integer), state, queue,
        {jobs.reason}, {jobs.worker}, {jobs.progress}, {jobs.result}, {jobs.errors}, true, {jobs.cause}
    FROM arrived WHERE state IN ('completed', 'failed', 'cancelled') ORDER BY seq
    RETURNING queue, state
),
-- here tally
, past AS (
    INSERT INTO windlass_event (seq, {MovedEvent; without id})
    SELECT arrived.seq, {event.MovedEvent; cast numbers as bigint; without id}
    FROM jsonb_array_elements(CAST(:events AS jsonb)) WITH ORDINALITY AS event (value, place)
    JOIN arrived ON arrived.id = {event.id}
    ORDER BY event.place
), held AS (
    INSERT INTO windlass_key AS key ({HeldKey})
    SELECT {keys.HeldKey; cast numbers as bigint}
    FROM jsonb_array_elements(CAST(:keys AS jsonb))
    ORDER BY ({keys.key}) COLLATE "C"
    ON CONFLICT (key) DO UPDATE SET {excluded.HeldKey; assigned; without key}
    -- A key is free whose window has passed, or whose job has started, has ended or is gone; the latter only of a row that is
    -- as old as this statement, which cannot see the job of a newer one.
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
