-- Tags, by which jobs are found: of each job as a JSON list, and apart from it a row for each tag. By trigger, so that every
-- statement that stores or deletes jobs keeps both; only jobs with tags pay.

ALTER TABLE windlass_job ADD COLUMN tags TEXT;

CREATE TABLE windlass_tag (
    tag TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (tag, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER windlass_tagged AFTER INSERT ON windlass_job WHEN NEW.tags IS NOT NULL
BEGIN
    INSERT INTO windlass_tag (tag, seq)
    SELECT DISTINCT value, NEW.seq FROM json_each(CASE WHEN json_valid(NEW.tags) THEN NEW.tags ELSE '[]' END)
    WHERE type = 'text';
END;

CREATE TRIGGER windlass_untagged AFTER DELETE ON windlass_job WHEN OLD.tags IS NOT NULL
BEGIN
    DELETE FROM windlass_tag WHERE seq = OLD.seq AND tag IN (
        SELECT value FROM json_each(CASE WHEN json_valid(OLD.tags) THEN OLD.tags ELSE '[]' END));
END;
