-- A plan that was made while a table was empty, by its statistics, reads all of the table for each row that it looks for. Functions
-- keep such plans: with 1,200 children of one parent a look at 500 of them took seconds. What is to be changed is found once now,
-- and kept, so that no plan reads a table for each pair of rows.
-- compatible from 1

-- Looks at the edges of these children that have the state 0, as far as no other transaction has the child in hand; where one
-- has, they are left to promote. Children that a parent takes along are cancelled, and those that wait for them are looked at in
-- turn, some hundreds at the most. Gives what has changed: seq and state of each.
--
-- Nothing here waits. A parent that has not ended is known to end later only while its row is locked (pins): whatever ends it
-- then comes after this, and sees the edge. Callers' transactions pin nothing, and leave such edges to promote.
CREATE OR REPLACE FUNCTION windlass_settle_edges(children bigint[], at bigint, pins boolean)
RETURNS TABLE (seq bigint, state text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    next bigint[] := children;
    held bigint[];
    alive bigint[];
    pinned bigint[];
    doomed bigint[];
    freed bigint[];
    looked_at integer := 0;
BEGIN
    WHILE cardinality(next) > 0 AND (looked_at = 0 OR looked_at < 500) LOOP
        looked_at := looked_at + cardinality(next);
        held := ARRAY(
            SELECT blocked.seq FROM windlass_blocked AS blocked
            WHERE blocked.seq = ANY (next) AND blocked.gate = 'parents'
            FOR UPDATE SKIP LOCKED);
        -- The callback of a group whose watched member has ended waits for the next one that it has to wait for, or for none. One
        -- statement, so that all of it is one moment. Only ended ones lie between: each is passed by once.
        WITH found AS MATERIALIZED (
            SELECT edge.ctid AS row, further.member, further.place FROM windlass_edge AS edge LEFT JOIN LATERAL (
                SELECT own.member, own.place FROM windlass_member AS own
                WHERE own.callback = edge.child AND own.place > edge.watched
                AND NOT windlass_is_done(own.member, edge.policy)
                ORDER BY own.callback, own.place LIMIT 1) AS further ON true
            WHERE edge.child = ANY (held) AND edge.place = -1 AND edge.state = 0
            AND windlass_is_done(edge.parent, edge.policy)
        )
        UPDATE windlass_edge AS edge SET parent = coalesce(found.member, edge.parent),
            watched = coalesce(found.place, edge.watched), state = CASE WHEN found.place IS NULL THEN 2 ELSE 0 END
        FROM found
        WHERE edge.ctid = found.row;
        -- Those of children that wait no more.
        UPDATE windlass_edge AS edge SET state = 2
        WHERE edge.child = ANY (next) AND edge.state = 0 AND NOT edge.child = ANY (held)
        AND NOT EXISTS (SELECT 1 FROM windlass_blocked AS blocked WHERE blocked.seq = edge.child);
        pinned := '{}';
        IF pins THEN
            alive := ARRAY(
                SELECT DISTINCT edge.parent FROM windlass_edge AS edge
                WHERE edge.child = ANY (held) AND edge.state = 0
                AND NOT EXISTS (SELECT 1 FROM windlass_finished AS finished WHERE finished.seq = edge.parent));
            -- Claims and endings are held up for a moment; start marks and heartbeats are not.
            pinned := ARRAY(
                SELECT found.seq FROM unnest(alive) AS wanted (parent) CROSS JOIN LATERAL (
                    SELECT running.seq FROM windlass_running AS running WHERE running.seq = wanted.parent
                    FOR KEY SHARE SKIP LOCKED) AS found)
            || ARRAY(
                SELECT found.seq FROM unnest(alive) AS wanted (parent) CROSS JOIN LATERAL (
                    SELECT job.seq, job.queue, job.priority, job.run_at FROM windlass_job AS job
                    WHERE job.seq = wanted.parent OFFSET 0) AS job CROSS JOIN LATERAL (
                    SELECT ready.seq FROM windlass_ready AS ready
                    WHERE ready.queue = job.queue AND ready.suspect = ANY (ARRAY[false, true])
                    AND ready.priority = job.priority AND ready.since = job.run_at AND ready.seq = job.seq
                    FOR KEY SHARE SKIP LOCKED) AS found)
            || ARRAY(
                SELECT found.seq FROM unnest(alive) AS wanted (parent) CROSS JOIN LATERAL (
                    SELECT job.seq, job.run_at FROM windlass_job AS job
                    WHERE job.seq = wanted.parent OFFSET 0) AS job CROSS JOIN LATERAL (
                    SELECT due.seq FROM windlass_due AS due WHERE due.run_at = job.run_at AND due.seq = job.seq
                    FOR KEY SHARE SKIP LOCKED) AS found)
            || ARRAY(
                SELECT found.seq FROM unnest(alive) AS wanted (parent) CROSS JOIN LATERAL (
                    SELECT blocked.seq FROM windlass_blocked AS blocked WHERE blocked.seq = wanted.parent
                    FOR KEY SHARE SKIP LOCKED) AS found);
        END IF;
        -- 3 for a moment: this parent takes its child along. By their place: an open edge of a child that is held changes only here.
        WITH parent AS MATERIALIZED (
            SELECT edge.ctid AS row, coalesce(
                (SELECT finished.state FROM windlass_finished AS finished WHERE finished.seq = edge.parent),
                (SELECT 'alive' FROM windlass_job AS job WHERE job.seq = edge.parent), 'gone') AS state, edge.parent AS seq
            FROM windlass_edge AS edge WHERE edge.child = ANY (held) AND edge.state = 0
        )
        UPDATE windlass_edge AS edge SET state = CASE
            WHEN parent.state = 'completed' OR (parent.state <> 'alive' AND edge.policy = 'run') THEN 2
            WHEN parent.state <> 'alive' AND edge.policy = 'cancel' THEN 3
            ELSE 1 END
        FROM parent
        WHERE edge.ctid = parent.row
        AND (parent.state <> 'alive' OR parent.seq = ANY (pinned))
        -- A member that has ended since the callback went on to it: others may follow. It is looked at again.
        AND NOT (edge.place = -1 AND (parent.state = 'completed' OR (parent.state <> 'alive' AND edge.policy = 'run')));
        doomed := ARRAY(
            SELECT DISTINCT edge.child FROM windlass_edge AS edge WHERE edge.child = ANY (held) AND edge.state = 3);
        freed := ARRAY(
            SELECT wanted.child FROM unnest(held) AS wanted (child)
            WHERE NOT EXISTS (
                SELECT 1 FROM windlass_edge AS edge WHERE edge.child = wanted.child AND edge.state < 2)
            AND NOT wanted.child = ANY (doomed));
        DELETE FROM windlass_blocked AS blocked WHERE blocked.seq = ANY (freed || doomed);
        UPDATE windlass_job AS job SET waiting = CASE WHEN job.run_at > at THEN 'scheduled' ELSE 'pending' END, reason = NULL
        WHERE job.seq = ANY (freed);
        INSERT INTO windlass_ready (seq, since, priority, queue, suspect, start_by)
        SELECT job.seq, job.run_at, job.priority, job.queue, job.crashes + job.rescues > 0, job.start_by
        FROM windlass_job AS job WHERE job.seq = ANY (freed) AND job.waiting = 'pending' ORDER BY job.seq;
        INSERT INTO windlass_due (seq, run_at, state, queue, start_by)
        SELECT job.seq, job.run_at, 'scheduled', job.queue, job.start_by
        FROM windlass_job AS job WHERE job.seq = ANY (freed) AND job.waiting = 'scheduled' ORDER BY job.seq;
        RETURN QUERY SELECT job.seq, job.waiting FROM windlass_job AS job WHERE job.seq = ANY (freed);
        next := '{}';
        IF cardinality(doomed) > 0 THEN
            UPDATE windlass_edge AS edge SET state = 2 WHERE edge.child = ANY (doomed) AND edge.state IN (0, 1, 3);
            -- One that a caller's open transaction takes over is passed by.
            DELETE FROM windlass_key AS key WHERE key.ctid = ANY (ARRAY(
                SELECT found.place FROM windlass_job AS job CROSS JOIN LATERAL (
                    SELECT held.ctid AS place FROM windlass_key AS held
                    WHERE held.key = job.unique_key AND held.id = job.id AND held.until <> 'window'
                    FOR UPDATE SKIP LOCKED) AS found
                WHERE job.seq = ANY (doomed) AND job.unique_key IS NOT NULL));
            INSERT INTO windlass_finished (
                seq, fence, finished_at, claimed_at, started_at, attempt, crashes, rescues, state, queue, reason, worker,
                tallied)
            SELECT job.seq, job.fence, at, job.claimed_at, job.started_at, job.attempt, job.crashes, job.rescues,
                'cancelled', job.queue, 'dependency', job.worker, true
            FROM windlass_job AS job WHERE job.seq = ANY (doomed) ORDER BY job.seq;
            INSERT INTO windlass_tally (number, state, queue)
            SELECT count(*), 'cancelled', job.queue FROM windlass_job AS job WHERE job.seq = ANY (doomed) GROUP BY job.queue;
            RETURN QUERY SELECT gone.child, CAST('cancelled' AS text) FROM unnest(doomed) AS gone (child);
            -- The trigger has marked what waits for them, unless it has settled it.
            next := ARRAY(
                SELECT DISTINCT edge.child FROM windlass_edge AS edge
                WHERE edge.parent = ANY (doomed) AND edge.state = 0 LIMIT 500);
        END IF;
    END LOOP;
END
$$;
