-- A statement that could fail half-way makes SQLite copy every page that it changes, so as to undo that part alone. One
-- that deletes jobs could, because of two statements in its trigger: one read the tags of the job from JSON, one could
-- fail by a constraint. A job that is deleted costs a fifth less without them. An error undoes the whole call anyway.

CREATE INDEX windlass_tag_job ON windlass_tag (seq);

DROP TRIGGER windlass_gone;

CREATE TRIGGER windlass_gone AFTER DELETE ON windlass_job
WHEN OLD.payload = '{"v":2,"payload":"apart"}' OR OLD.tags IS NOT NULL OR OLD.has_steps = 1
    -- nearly always there are none at all
    OR (EXISTS (SELECT 1 FROM windlass_edge) AND (
        EXISTS (SELECT 1 FROM windlass_edge WHERE child = OLD.seq)
        OR EXISTS (SELECT 1 FROM windlass_edge WHERE parent = OLD.seq)))
    OR (EXISTS (SELECT 1 FROM windlass_member) AND EXISTS (SELECT 1 FROM windlass_member WHERE callback = OLD.seq))
BEGIN
    DELETE FROM windlass_payload WHERE seq = OLD.seq;
    DELETE FROM windlass_tag WHERE seq = OLD.seq;
    DELETE FROM windlass_step WHERE seq = OLD.seq;
    DELETE FROM windlass_edge WHERE child = OLD.seq;
    UPDATE OR FAIL windlass_edge SET state = 0 WHERE parent = OLD.seq AND state = 1;
    DELETE FROM windlass_member WHERE callback = OLD.seq;
END;
