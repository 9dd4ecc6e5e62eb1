-- A large payload lies apart. Every change of a job writes its row again, and what never changes need not be written with it:
-- at the claim, at the ending, at each retry. Small ones stay in the row, where a claim finds them without another look.

CREATE TABLE windlass_payload (
    seq INTEGER PRIMARY KEY,
    -- in bytes; before the payload, so that whoever wants to know it reads no more
    size INTEGER NOT NULL,
    payload TEXT NOT NULL
) STRICT;

-- Only functions that every SQLite has: the program whose own file this is may have an old one.
-- By trigger, so that whoever stores a job need not know, and nobody can forget. What stands in the row instead is a payload
-- of a newer format: a process that was started before this step leaves such a job to those that can read it.
CREATE TRIGGER windlass_payload_apart AFTER INSERT ON windlass_job WHEN length(NEW.payload) > 1024
BEGIN
    INSERT INTO windlass_payload (seq, size, payload)
    VALUES (NEW.seq, length(CAST(NEW.payload AS BLOB)), NEW.payload);
    UPDATE windlass_job SET payload = '{"v":2,"payload":"apart"}' WHERE seq = NEW.seq;
END;

CREATE TRIGGER windlass_payload_gone AFTER DELETE ON windlass_job WHEN OLD.payload = '{"v":2,"payload":"apart"}'
BEGIN
    DELETE FROM windlass_payload WHERE seq = OLD.seq;
END;

-- Jobs with their payload and its size, wherever it lies. One that has vanished is empty.
CREATE VIEW windlass_whole AS
SELECT windlass_job.*,
    iif(payload = '{"v":2,"payload":"apart"}',
        coalesce((SELECT apart.payload FROM windlass_payload AS apart WHERE apart.seq = windlass_job.seq), ''),
        payload) AS whole_payload,
    iif(payload = '{"v":2,"payload":"apart"}',
        coalesce((SELECT apart.size FROM windlass_payload AS apart WHERE apart.seq = windlass_job.seq), 0),
        length(CAST(payload AS BLOB))) AS payload_size
FROM windlass_job;
