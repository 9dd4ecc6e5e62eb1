-- Groups: jobs whose results another one, the callback, gets when all of them have ended. The callback has one edge, with the
-- place -1, which leads to one member, the watched one, and is moved on to the next when that has ended. A process that was
-- started before this step moves no edge: what it ends is found by the leader.

CREATE TABLE windlass_member (
    callback INTEGER NOT NULL,
    -- the order of the results
    place INTEGER NOT NULL,
    member INTEGER NOT NULL,
    PRIMARY KEY (callback, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX windlass_member_of ON windlass_member (member, callback);

-- The place of the watched member; null for an edge that leads to one parent for good.
ALTER TABLE windlass_edge ADD COLUMN watched INTEGER;

CREATE TRIGGER windlass_group_gone AFTER DELETE ON windlass_job
WHEN EXISTS (SELECT 1 FROM windlass_member WHERE callback = OLD.seq)
BEGIN
    DELETE FROM windlass_member WHERE callback = OLD.seq;
END;
