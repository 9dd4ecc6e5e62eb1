-- Ends runs that just returned, and takes the next jobs, in one commit: what a busy worker does most of the time, so it
-- does no more than that needs. 2-full says the same at length.
-- :completed rows (seq, fence, ran_for, result)
-- :rooms rows (queue, room)
-- :takes_suspect 1 if at most one of what it takes may be a suspect, 0 if none may
-- :lease, :token, :worker who claims
-- only with rooms
-- only without endings, keys, marks
-- gives ended
-- gives claimed as json
-- gives lost
--
-- OFFSET 0, the kind of a list and the numbers of a seq are there for the planner, as in 2-full.
WITH clock AS (
-- here clock
), lease AS MATERIALIZED (
    -- The lock keeps the lease from being rescued or closed between this look and the commit of what is taken under
    -- it; renewing it is not held up.
    SELECT lease.id FROM windlass_lease AS lease, clock
    WHERE lease.id = :lease AND lease.state = 'open'
    AND lease.renewed_at - lease.ttl <= clock.now AND clock.now < lease.renewed_at + lease.ttl
    FOR KEY SHARE OF lease
), ending AS MATERIALIZED (
    SELECT jsonb_typeof(value) AS kind, CAST(value ->> 0 AS bigint) AS seq, CAST(value ->> 1 AS bigint) AS fence,
        CAST(value ->> 2 AS bigint) AS ran_for, value ->> 3 AS result
    FROM jsonb_array_elements(CAST(:completed AS jsonb)) WHERE (SELECT count(*) FROM lease) >= 0
    ORDER BY seq
), owner AS MATERIALIZED (
    -- Only the owner whose fence the job still carries may end it, and only while it runs; for every other row nothing
    -- happens.
    SELECT ending.*, found.place FROM ending CROSS JOIN LATERAL (
        SELECT running.ctid AS place FROM windlass_running AS running
        WHERE running.seq = ending.seq AND running.fence = ending.fence OFFSET 0) AS found
), ended AS (
    -- By their place in the table, in the order of seq. A row that others have changed since this statement began is
    -- in another place now; see the last column.
    DELETE FROM windlass_running AS running USING owner AS ending
    WHERE running.ctid = ending.place AND ending.kind = 'array'
    -- The ending of a run that was not over in a moment makes sure that there is still a job.
    RETURNING running.*, ending.ran_for, ending.result, CASE WHEN running.started_at IS NULL THEN running.seq
        ELSE (SELECT job.seq FROM windlass_job AS job WHERE job.seq = running.seq) END AS job
), finished AS (
    INSERT INTO windlass_finished (
        seq, fence, finished_at, claimed_at, started_at, cancel_requested_at, attempt, crashes, rescues, state, queue,
        worker, progress, result, tallied)
    SELECT seq, fence, clock.now, claimed_at, coalesce(started_at, clock.now - ran_for), cancel_requested_at,
        attempt + 1, crashes, rescues, 'completed', queue, worker, progress, result, true
    FROM ended, clock WHERE job IS NOT NULL
    RETURNING queue, state
-- here tally
-- here take
)
SELECT
    endings.ended, begins.claimed, coalesce(endings.lost || begins.lost, endings.lost, begins.lost) AS lost,
    -- Somebody has cancelled or rescued one of the jobs meanwhile: nothing is kept, and the driver repeats it.
    -- An ending that was sent twice is one.
    CAST(CASE
        WHEN (SELECT count(DISTINCT place) FROM owner) <> endings.number THEN 'windlass: look again'
        ELSE '0'
    END AS integer) AS again
-- here endings
    -- An array of texts takes a third of the time that building JSON from values of each type takes.
    SELECT coalesce(array_to_json(array_agg(ARRAY[
            CAST(seq AS text), id, task, queue, CAST(priority AS text), payload, meta, CAST(attempt AS text),
            CAST(max_attempts AS text), CAST(crashes AS text), CAST(rescues AS text), CAST(fence AS text),
            CAST(timeout AS text), CAST(created_at AS text), 'false', unique_key, errors, retry,
            CAST(clock.now - unknown_at AS text)
        ] ORDER BY priority DESC, since, seq) FILTER (WHERE id IS NOT NULL)), '[]') AS claimed,
        jsonb_agg(jsonb_build_array(seq, queue, 'pending')) FILTER (WHERE id IS NULL) AS lost
    FROM begun, clock
) AS begins
