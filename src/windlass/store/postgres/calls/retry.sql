-- Runs jobs again by hand, with a fresh budget of attempts; their history of errors stays. The key is not taken again.
-- :states are those that both the caller and the table of transitions allow
-- :queue another queue for them, or null
-- :delay, :gap in how many milliseconds the first of :seqs is to run, and how many lie between two of them
-- gives taken
-- gives retried
-- gives missed
--
-- One that waits for other jobs runs now; one that waits for a key or a rate stays as it is.
--
-- Locks are taken in the order queue, finished, due, blocked, each by seq: each part counts the one before it. It waits for
-- what others have in hand; a job that has gone elsewhere meanwhile is missed; the operation asks for it again.
-- Keys are only looked at: one that is taken after this look is taken after the retry.
--
-- As in cycle, rows are looked up in LATERAL parts and some conditions are there only for the planner (all of the
-- numbers that a seq can be), so that a plan that was made for empty tables does not read large ones.
WITH
-- here clock
, made AS (
    -- The other queue, where one was named, exists from now on.
    INSERT INTO windlass_queue (name) SELECT CAST(:queue AS text) WHERE CAST(:queue AS text) IS NOT NULL
    ON CONFLICT DO NOTHING
    RETURNING 1
), allowed AS MATERIALIZED (
    SELECT state FROM jsonb_array_elements_text(CAST(:states AS jsonb)) AS allowed (state)
),
-- here requested_jobs
, finished AS MATERIALIZED (
    SELECT found.* FROM wanted CROSS JOIN LATERAL (
        SELECT finished.ctid AS place, finished.seq, finished.state, finished.reason, finished.fence,
            finished.claimed_at, finished.started_at, finished.worker, finished.errors, finished.attempts
        FROM windlass_finished AS finished
        WHERE finished.seq = wanted.seq AND finished.state = ANY (ARRAY(SELECT allowed.state FROM allowed))
        FOR UPDATE) AS found
    WHERE (SELECT count(*) FROM made) >= 0
), due AS MATERIALIZED (
    SELECT found.place, wanted.seq, found.state, wanted.reason FROM wanted CROSS JOIN LATERAL (
        SELECT due.ctid AS place, due.state FROM windlass_due AS due
        WHERE due.run_at = wanted.run_at AND due.seq = wanted.seq
        AND due.state = ANY (ARRAY(SELECT allowed.state FROM allowed))
        FOR UPDATE) AS found
    WHERE (SELECT count(*) FROM finished) >= 0
), blocked AS MATERIALIZED (
    SELECT found.place, wanted.seq, 'blocked' AS state, wanted.reason FROM wanted CROSS JOIN LATERAL (
        SELECT blocked.ctid AS place FROM windlass_blocked AS blocked
        WHERE blocked.seq = wanted.seq AND blocked.gate = 'parents'
        FOR UPDATE) AS found
    WHERE 'blocked' = ANY (ARRAY(SELECT allowed.state FROM allowed)) AND (SELECT count(*) FROM due) >= 0
), locked AS MATERIALIZED (
    SELECT seq, state, reason FROM finished UNION ALL SELECT seq, state, reason FROM due
    UNION ALL SELECT seq, state, reason FROM blocked
), taken AS MATERIALIZED (
    -- Jobs that could be retried but for their unique key, which another one holds now: they stay as they are.
    SELECT locked.seq, key.id FROM locked JOIN wanted ON wanted.seq = locked.seq
    CROSS JOIN LATERAL (
        SELECT * FROM windlass_key WHERE windlass_key.key = wanted.unique_key AND windlass_key.id <> wanted.id OFFSET 0
    ) AS key
    CROSS JOIN LATERAL (SELECT * FROM windlass_record WHERE windlass_record.id = key.id OFFSET 0) AS holder
    WHERE (key.expires_at IS NULL OR key.expires_at > (SELECT now FROM clock)) AND
-- here holds
), from_finished AS (
    -- By their place in the table: they are locked, and such a row is never updated.
    DELETE FROM windlass_finished AS gone USING finished
    WHERE gone.ctid = finished.place AND finished.seq BETWEEN 0 AND 9223372036854775807
    AND finished.seq NOT IN (SELECT taken.seq FROM taken)
    RETURNING gone.seq
), from_due AS (
    DELETE FROM windlass_due AS gone USING due
    WHERE gone.ctid = due.place AND due.seq BETWEEN 0 AND 9223372036854775807
    AND due.seq NOT IN (SELECT taken.seq FROM taken)
    RETURNING gone.seq
), from_blocked AS (
    DELETE FROM windlass_blocked AS gone USING blocked
    WHERE gone.ctid = blocked.place AND blocked.seq BETWEEN 0 AND 9223372036854775807
    AND blocked.seq NOT IN (SELECT taken.seq FROM taken)
    RETURNING gone.seq
), awaited AS MATERIALIZED (
    -- An edge that another transaction has in hand is settled by it, or by promote.
    SELECT found.place, from_blocked.seq FROM from_blocked CROSS JOIN LATERAL (
        SELECT edge.ctid AS place FROM windlass_edge AS edge WHERE edge.child = from_blocked.seq AND edge.state < 2
        FOR UPDATE SKIP LOCKED) AS found
), waited AS (
    -- They do not wait any more.
    UPDATE windlass_edge AS edge SET state = 2 FROM awaited
    WHERE edge.ctid = awaited.place AND awaited.seq BETWEEN 0 AND 9223372036854775807
), moved AS MATERIALIZED (
    SELECT seq FROM from_finished UNION ALL SELECT seq FROM from_due UNION ALL SELECT seq FROM from_blocked
), turn AS MATERIALIZED (
    SELECT CAST(asked.value AS bigint) AS seq, min(clock.now + CAST(floor(
        CAST(:delay AS double precision) + (asked.place - 1) * CAST(:gap AS double precision)) AS bigint)) AS run_at
    FROM clock, jsonb_array_elements_text(CAST(:seqs AS jsonb)) WITH ORDINALITY AS asked (value, place)
    GROUP BY CAST(asked.value AS bigint)
), retried AS (
    UPDATE windlass_job AS job SET
        waiting = CASE WHEN turn.run_at > clock.now THEN 'scheduled' ELSE 'pending' END, reason = NULL, queue = coalesce(:queue, job.queue), attempt = 0, crashes = 0, rescues = 0,
        run_at = turn.run_at, unknown_at = NULL, progress = NULL,
        -- One that has never started gets its time anew.
        start_by = CASE WHEN job.start_by IS NOT NULL AND finished.started_at IS NULL
            THEN turn.run_at + job.expires END,
        -- What the last run has left behind goes on with the job.
        fence = coalesce(finished.fence, job.fence),
        claimed_at = CASE WHEN finished.seq IS NULL THEN job.claimed_at ELSE finished.claimed_at END,
        started_at = CASE WHEN finished.seq IS NULL THEN job.started_at ELSE finished.started_at END,
        worker = CASE WHEN finished.seq IS NULL THEN job.worker ELSE finished.worker END,
        errors = coalesce(finished.errors, job.errors), attempts = coalesce(finished.attempts, job.attempts)
    FROM clock, moved JOIN turn ON turn.seq = moved.seq LEFT JOIN finished ON finished.seq = moved.seq
    WHERE job.seq = moved.seq AND moved.seq BETWEEN 0 AND 9223372036854775807
    RETURNING job.seq, job.queue, job.priority, job.fence, job.waiting, job.run_at AS since, job.start_by
), placed AS (
    INSERT INTO windlass_ready (seq, since, priority, queue, start_by)
    SELECT seq, since, priority, queue, start_by FROM retried WHERE waiting = 'pending' ORDER BY seq
), postponed AS (
    INSERT INTO windlass_due (seq, run_at, state, queue, start_by)
    SELECT seq, since, waiting, queue, start_by FROM retried WHERE waiting = 'scheduled' ORDER BY seq
), noted AS (
    INSERT INTO windlass_event (seq, at, kind, fence, detail)
    SELECT retried.seq, clock.now, 'retried', retried.fence,
        json_build_object('by', CAST(:by AS text), 'from', locked.state, 'reason', locked.reason)
    FROM clock, retried JOIN locked ON locked.seq = retried.seq ORDER BY retried.seq
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(seq, id)), '[]') FROM taken) AS taken,
    (SELECT coalesce(json_agg(json_build_array(seq) ORDER BY seq), '[]') FROM retried) AS retried,
    (SELECT coalesce(json_agg(json_build_array(wanted.seq)), '[]') FROM wanted
        WHERE wanted.seq NOT IN (SELECT seq FROM locked)
        AND coalesce(
            (SELECT finished.state FROM windlass_finished AS finished WHERE finished.seq = wanted.seq),
            (SELECT due.state FROM windlass_due AS due WHERE due.run_at = wanted.run_at AND due.seq = wanted.seq),
            (SELECT 'blocked' FROM windlass_blocked AS blocked
                WHERE blocked.seq = wanted.seq AND blocked.gate = 'parents')
        ) = ANY (ARRAY(SELECT allowed.state FROM allowed))) AS missed,
    windlass_revive_children(ARRAY(SELECT retried.seq FROM retried)) AS revived,
    windlass_watch_again(ARRAY(SELECT retried.seq FROM retried)) AS watched
