-- SQLite removes rows as it walks an index, without seeking each of them in the table and in that index again, if the
-- statement has no subquery and the table no trigger for deletes. For finished jobs that is half of the processor time, so
-- what lies beside a job now goes by statements of the calls (shared/delete_beside.sql), and a job says itself whether there is
-- anything: linked is 1 for one that waits, or waited, for others, or others for it, or that belongs to a group.
--
-- A process that was started before this step deletes jobs without what lies beside them; windlass check finds that.

ALTER TABLE windlass_job ADD COLUMN linked INTEGER NOT NULL DEFAULT 0;

UPDATE windlass_job SET linked = 1 WHERE seq IN (
    SELECT child FROM windlass_edge UNION SELECT parent FROM windlass_edge
    UNION SELECT callback FROM windlass_member UNION SELECT member FROM windlass_member);

CREATE TRIGGER windlass_edge_stored AFTER INSERT ON windlass_edge
BEGIN
    UPDATE OR FAIL windlass_job SET linked = 1 WHERE seq = NEW.child AND linked = 0;
    UPDATE OR FAIL windlass_job SET linked = 1 WHERE seq = NEW.parent AND linked = 0;
END;

CREATE TRIGGER windlass_member_stored AFTER INSERT ON windlass_member
BEGIN
    UPDATE OR FAIL windlass_job SET linked = 1 WHERE seq = NEW.callback AND linked = 0;
    UPDATE OR FAIL windlass_job SET linked = 1 WHERE seq = NEW.member AND linked = 0;
END;

DROP TRIGGER windlass_gone;
