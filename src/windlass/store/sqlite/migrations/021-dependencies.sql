-- Jobs that wait for others. An edge leads from a parent to a child, which is blocked at the gate 'parents' until all of its
-- edges are settled. By trigger, so that every way in which a parent ends settles its edges, in the same transaction; only
-- parents pay. A process that was started before this step knows no edges, but its endings settle them too.

CREATE TABLE windlass_edge (
    child INTEGER NOT NULL,
    -- the order in which the parents were named
    place INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    -- what becomes of the child when this parent ends without completing: cancel, run, wait
    policy TEXT NOT NULL,
    -- 0: to be looked at by promote; 1: waits for the parent; 2: settled
    state INTEGER NOT NULL,
    PRIMARY KEY (child, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX windlass_edge_parent ON windlass_edge (parent, state, child);
CREATE INDEX windlass_edge_unchecked ON windlass_edge (child) WHERE state = 0;
CREATE INDEX windlass_edge_open ON windlass_edge (child) WHERE state < 2;

-- Only functions that every SQLite has: the program whose own file this is may have an old one.
-- A child that is cancelled here is not the end of it: promote goes on with those that wait for it.
CREATE TRIGGER windlass_parent_ended AFTER UPDATE OF state ON windlass_job
WHEN NEW.state IN ('completed', 'failed', 'cancelled') AND OLD.state NOT IN ('completed', 'failed', 'cancelled')
    AND EXISTS (SELECT 1 FROM windlass_edge WHERE parent = NEW.seq AND state < 2)
BEGIN
    UPDATE windlass_edge SET
        state = CASE WHEN NEW.state = 'completed' OR policy = 'run' THEN 2 WHEN policy = 'cancel' THEN 0 ELSE 1 END
    WHERE parent = NEW.seq AND state < 2;
    UPDATE windlass_job SET
        state = CASE WHEN run_at > NEW.finished_at THEN 'scheduled' ELSE 'pending' END, reason = NULL, gate = NULL
    WHERE seq IN (SELECT child FROM windlass_edge WHERE parent = NEW.seq AND state = 2)
    AND state = 'blocked' AND gate = 'parents'
    AND NOT EXISTS (SELECT 1 FROM windlass_edge AS other WHERE other.child = windlass_job.seq AND other.state < 2);
    UPDATE windlass_job SET state = 'cancelled', reason = 'dependency', gate = NULL, finished_at = NEW.finished_at
    WHERE seq IN (SELECT child FROM windlass_edge WHERE parent = NEW.seq AND state = 0)
    AND state = 'blocked' AND gate = 'parents';
    UPDATE windlass_edge SET state = 0
    WHERE state = 1 AND parent IN (SELECT child FROM windlass_edge AS own WHERE own.parent = NEW.seq AND own.state = 0);
    UPDATE windlass_edge SET state = 2 WHERE parent = NEW.seq AND state = 0;
END;

-- A job that is cancelled because of a parent gives its unique key back.
CREATE TRIGGER windlass_child_cancelled AFTER UPDATE OF state ON windlass_job
WHEN NEW.reason = 'dependency' AND NEW.state = 'cancelled' AND NEW.unique_key IS NOT NULL
BEGIN
    DELETE FROM windlass_key WHERE key = NEW.unique_key AND id = NEW.id AND until <> 'window';
END;

-- The edges of a child go with it; what waits for a parent that is gone is looked at again.
CREATE TRIGGER windlass_edges_gone AFTER DELETE ON windlass_job
WHEN EXISTS (SELECT 1 FROM windlass_edge WHERE child = OLD.seq)
    OR EXISTS (SELECT 1 FROM windlass_edge WHERE parent = OLD.seq)
BEGIN
    DELETE FROM windlass_edge WHERE child = OLD.seq;
    UPDATE windlass_edge SET state = 0 WHERE parent = OLD.seq AND state = 1;
END;
