-- Jobs that wait for others. An edge leads from a parent to a child, which is blocked at the gate 'parents' until all of its
-- edges are settled. By trigger, so that every way in which a parent ends settles its edges, in the same transaction.
-- Releases that know fewer steps go on: they store no edges, and what they end settles those of others.
-- compatible from 1

CREATE TABLE windlass_edge (
    child bigint NOT NULL,
    parent bigint NOT NULL,
    -- the order in which the parents were named
    place integer NOT NULL,
    -- 0: to be looked at by promote; 1: waits for the parent; 2: settled
    state smallint NOT NULL,
    -- what becomes of the child when this parent ends without completing
    policy text COLLATE "C" NOT NULL CHECK (policy IN ('cancel', 'run', 'wait')),
    PRIMARY KEY (child, place)
) WITH (vacuum_truncate = off, autovacuum_analyze_threshold = 5000);
CREATE INDEX edge_parent ON windlass_edge (parent, child);
CREATE INDEX edge_open ON windlass_edge (child) WHERE state < 2;
CREATE INDEX edge_unchecked ON windlass_edge (child) WHERE state = 0;

-- Looks at the edges of these children that have the state 0, as far as no other transaction has the child in hand; where one
-- has, they are left to promote. Children that a parent takes along are cancelled, and those that wait for them are looked at in
-- turn, some hundreds at the most. Gives what has changed: seq and state of each.
--
-- Nothing here waits. A parent that has not ended is known to end later only while its row is locked (pins): whatever ends it
-- then comes after this, and sees the edge. Callers' transactions pin nothing, and leave such edges to promote.
CREATE FUNCTION windlass_settle_edges(children bigint[], at bigint, pins boolean)
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
            SELECT found.seq FROM unnest(next) AS wanted (child) CROSS JOIN LATERAL (
                SELECT blocked.seq FROM windlass_blocked AS blocked
                WHERE blocked.seq = wanted.child AND blocked.gate = 'parents'
                FOR UPDATE SKIP LOCKED) AS found);
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
        -- 3 for a moment: this parent takes its child along.
        UPDATE windlass_edge AS edge SET state = CASE
            WHEN parent.state = 'completed' OR (parent.state <> 'alive' AND edge.policy = 'run') THEN 2
            WHEN parent.state <> 'alive' AND edge.policy = 'cancel' THEN 3
            ELSE 1 END
        FROM (
            SELECT edge.child, edge.place, coalesce(
                (SELECT finished.state FROM windlass_finished AS finished WHERE finished.seq = edge.parent),
                (SELECT 'alive' FROM windlass_job AS job WHERE job.seq = edge.parent), 'gone') AS state, edge.parent AS seq
            FROM windlass_edge AS edge WHERE edge.child = ANY (held) AND edge.state = 0 OFFSET 0) AS parent
        WHERE edge.child = parent.child AND edge.place = parent.place
        AND (parent.state <> 'alive' OR parent.seq = ANY (pinned));
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

-- Looks at the edges of these parents, which have ended or are gone. What a statement of the trigger itself has ended is left to
-- it: it goes on in rounds, so that no depth of a graph is too much.
CREATE FUNCTION windlass_settle_parents(parents bigint[], at bigint, channel text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    children bigint[] := ARRAY(
        SELECT DISTINCT found.child FROM unnest(parents) AS ended (parent) CROSS JOIN LATERAL (
            SELECT edge.child FROM windlass_edge AS edge WHERE edge.parent = ended.parent AND edge.state < 2
            OFFSET 0) AS found);
BEGIN
    IF cardinality(children) = 0 THEN
        RETURN;
    END IF;
    UPDATE windlass_edge AS edge SET state = 0 WHERE edge.parent = ANY (parents) AND edge.state = 1;
    IF pg_trigger_depth() = 1 THEN
        -- More are left to promote.
        PERFORM pg_notify(channel, '') FROM (
            SELECT count(*) AS number FROM windlass_settle_edges(children[1:500], at, false) AS settled
            WHERE settled.state = 'pending') AS released
        WHERE released.number > 0;
    END IF;
END
$$;

CREATE FUNCTION windlass_parents_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM windlass_settle_parents(
        ARRAY(SELECT ended.seq FROM ended), (SELECT max(ended.finished_at) FROM ended), TG_TABLE_SCHEMA || '.work');
    RETURN NULL;
END
$$;
CREATE TRIGGER settle_edges AFTER INSERT ON windlass_finished
REFERENCING NEW TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION windlass_parents_ended();

-- Takes back what was cancelled because of these jobs, which are retried, and what was because of that in turn: it waits again,
-- and promote looks at its edges. A unique key is not taken again.
CREATE FUNCTION windlass_revive_children(parents bigint[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    revived bigint[] := ARRAY(
        WITH RECURSIVE found (child) AS (
            SELECT edge.child FROM unnest(parents) AS retried (parent) CROSS JOIN LATERAL (
                SELECT edge.child FROM windlass_edge AS edge
                WHERE edge.parent = retried.parent AND edge.policy = 'cancel' OFFSET 0) AS edge
            CROSS JOIN LATERAL (
                SELECT 1 FROM windlass_finished AS finished WHERE finished.seq = edge.child
                AND finished.state = 'cancelled' AND finished.reason = 'dependency' OFFSET 0) AS finished
            UNION
            SELECT edge.child FROM found CROSS JOIN LATERAL (
                SELECT edge.child FROM windlass_edge AS edge
                WHERE edge.parent = found.child AND edge.policy = 'cancel' OFFSET 0) AS edge
            CROSS JOIN LATERAL (
                SELECT 1 FROM windlass_finished AS finished WHERE finished.seq = edge.child
                AND finished.state = 'cancelled' AND finished.reason = 'dependency' OFFSET 0) AS finished)
        SELECT locked.seq FROM found CROSS JOIN LATERAL (
            SELECT finished.seq FROM windlass_finished AS finished WHERE finished.seq = found.child
            FOR UPDATE SKIP LOCKED) AS locked);
BEGIN
    IF cardinality(revived) = 0 THEN
        RETURN 0;
    END IF;
    DELETE FROM windlass_finished AS finished WHERE finished.seq = ANY (revived);
    UPDATE windlass_job AS job SET waiting = 'blocked', reason = 'parents' WHERE job.seq = ANY (revived);
    INSERT INTO windlass_blocked (seq, since, priority, queue, start_by, gate)
    SELECT job.seq, job.run_at, job.priority, job.queue, job.start_by, 'parents'
    FROM windlass_job AS job WHERE job.seq = ANY (revived) ORDER BY job.seq;
    UPDATE windlass_edge AS edge SET state = 0 WHERE edge.child = ANY (revived);
    RETURN cardinality(revived);
END
$$;

-- The edges of a child go with it.
CREATE FUNCTION windlass_parents_gone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    seqs bigint[] := ARRAY(SELECT gone.seq FROM gone);
BEGIN
    DELETE FROM windlass_edge AS edge WHERE edge.child = ANY (seqs);
    PERFORM windlass_settle_parents(
        seqs, CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint), TG_TABLE_SCHEMA || '.work');
    RETURN NULL;
END
$$;
CREATE TRIGGER remove_edges AFTER DELETE ON windlass_job
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION windlass_parents_gone();
CREATE FUNCTION windlass_clear_edges() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM windlass_edge;
    RETURN NULL;
END
$$;
CREATE TRIGGER clear_edges AFTER TRUNCATE ON windlass_job
FOR EACH STATEMENT EXECUTE FUNCTION windlass_clear_edges();
