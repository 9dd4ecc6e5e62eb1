-- Removes jobs that do not run, with their events and unique keys; one that runs is its owner's.
-- :states are those that both the caller and the table of transitions allow
-- :ids are the ids of :seqs
-- gives deleted
-- gives missed
--
-- Locks are taken in the order keys, finished, ready, due, blocked, concurrency keys, each by seq: each part counts the one before it. It waits
-- for what workers have in hand, never for a caller's transaction; a job that has gone elsewhere meanwhile is missed; the operation asks for it again.
--
-- As in cycle, rows are looked up in LATERAL parts and some conditions are there only for the planner (all of the
-- numbers that a seq can be), so that a plan that was made for empty tables does not read large ones.
WITH allowed AS MATERIALIZED (
    SELECT state FROM jsonb_array_elements_text(CAST(:states AS jsonb)) AS allowed (state)
), named AS MATERIALIZED (
    SELECT key.key FROM jsonb_array_elements_text(CAST(:ids AS jsonb)) AS asked (id) CROSS JOIN LATERAL (
        -- A job has one key at the most.
        SELECT * FROM windlass_key WHERE windlass_key.id = asked.id LIMIT 1) AS key
    ORDER BY key.key
), held AS MATERIALIZED (
    SELECT found.key, found.id FROM named CROSS JOIN LATERAL (
        -- One that a caller's open transaction takes over is passed by; without its job it is free.
        SELECT key.key, key.id FROM windlass_key AS key WHERE key.key = named.key
        FOR UPDATE SKIP LOCKED) AS found
),
-- here requested_jobs
, finished AS MATERIALIZED (
    SELECT found.place, wanted.seq FROM wanted CROSS JOIN LATERAL (
        SELECT finished.ctid AS place FROM windlass_finished AS finished
        WHERE finished.seq = wanted.seq AND finished.state = ANY (ARRAY(SELECT allowed.state FROM allowed))
        FOR UPDATE) AS found
    WHERE (SELECT count(*) FROM held) >= 0
), ready AS MATERIALIZED (
    SELECT found.place, wanted.seq FROM wanted CROSS JOIN LATERAL (
        SELECT ready.ctid AS place FROM windlass_ready AS ready
        WHERE ready.queue = wanted.queue AND ready.suspect = ANY (ARRAY[false, true])
        AND ready.priority = wanted.priority AND ready.since = wanted.run_at AND ready.seq = wanted.seq
        FOR UPDATE) AS found
    WHERE 'pending' = ANY (ARRAY(SELECT allowed.state FROM allowed)) AND (SELECT count(*) FROM finished) >= 0
), due AS MATERIALIZED (
    SELECT found.place, wanted.seq FROM wanted CROSS JOIN LATERAL (
        SELECT due.ctid AS place FROM windlass_due AS due
        WHERE due.run_at = wanted.run_at AND due.seq = wanted.seq
        AND due.state = ANY (ARRAY(SELECT allowed.state FROM allowed))
        FOR UPDATE) AS found
    WHERE (SELECT count(*) FROM ready) >= 0
), blocked AS MATERIALIZED (
    SELECT found.place, wanted.seq FROM wanted CROSS JOIN LATERAL (
        SELECT blocked.ctid AS place FROM windlass_blocked AS blocked WHERE blocked.seq = wanted.seq
        FOR UPDATE) AS found
    WHERE 'blocked' = ANY (ARRAY(SELECT allowed.state FROM allowed)) AND (SELECT count(*) FROM due) >= 0
),
-- here lock_gates (after = blocked)
, from_finished AS (
    -- By their place in the table: they are locked, and such a row is never updated.
    DELETE FROM windlass_finished AS gone USING finished
    WHERE gone.ctid = finished.place AND finished.seq BETWEEN 0 AND 9223372036854775807
    RETURNING gone.seq
),
-- here from_waiting
, moved AS MATERIALIZED (
    SELECT seq FROM from_finished UNION ALL SELECT seq FROM from_ready UNION ALL SELECT seq FROM from_due
    UNION ALL SELECT seq FROM from_blocked
), deleted AS (
    DELETE FROM windlass_job AS job USING moved
    WHERE job.seq = moved.seq AND moved.seq BETWEEN 0 AND 9223372036854775807
    RETURNING job.seq, job.id
), forgotten AS (
    DELETE FROM windlass_event AS event USING deleted
    WHERE event.seq = deleted.seq AND deleted.seq BETWEEN 0 AND 9223372036854775807
), freed AS (
    DELETE FROM windlass_key AS key USING held JOIN deleted ON deleted.id = held.id
    WHERE key.key = held.key AND deleted.seq BETWEEN 0 AND 9223372036854775807
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(seq)), '[]') FROM deleted) AS deleted,
    (SELECT coalesce(json_agg(json_build_array(wanted.seq)), '[]') FROM wanted
        WHERE wanted.seq NOT IN (
            SELECT seq FROM blocked UNION ALL SELECT seq FROM finished UNION ALL SELECT seq FROM ready
            UNION ALL SELECT seq FROM due)
        AND coalesce(
            (SELECT 'blocked' FROM windlass_blocked AS blocked WHERE blocked.seq = wanted.seq),
            (SELECT finished.state FROM windlass_finished AS finished WHERE finished.seq = wanted.seq),
            (SELECT 'pending' FROM windlass_ready AS ready
                WHERE ready.queue = wanted.queue AND ready.suspect = ANY (ARRAY[false, true])
                AND ready.priority = wanted.priority AND ready.since = wanted.run_at AND ready.seq = wanted.seq),
            (SELECT due.state FROM windlass_due AS due WHERE due.run_at = wanted.run_at AND due.seq = wanted.seq)
        ) = ANY (ARRAY(SELECT allowed.state FROM allowed))) AS missed
