-- How many jobs of a queue, or of all queues together ('*'), may run at once. Processes that were started before this step
-- do not count what they claim and end: limits hold once all of them were started anew.

ALTER TABLE windlass_queue ADD COLUMN max_running INTEGER;

-- How many jobs run; only of queues that have a limit, and of '*'.
CREATE TABLE windlass_gate (
    name TEXT PRIMARY KEY,
    max_running INTEGER NOT NULL,
    running INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A running job has a lease: its index knows all of them.
CREATE TRIGGER windlass_limit_declared AFTER INSERT ON windlass_queue WHEN NEW.max_running IS NOT NULL
BEGIN
    INSERT INTO windlass_gate (name, max_running, running)
    SELECT NEW.name, NEW.max_running, count(*) FROM windlass_job
    WHERE state = 'running' AND lease > '' AND NEW.name IN ('*', queue);
END;

CREATE TRIGGER windlass_limit_changed AFTER UPDATE OF max_running ON windlass_queue
WHEN NEW.max_running IS NOT OLD.max_running
BEGIN
    DELETE FROM windlass_gate WHERE name = NEW.name AND NEW.max_running IS NULL;
    UPDATE windlass_gate SET max_running = NEW.max_running WHERE name = NEW.name;
    INSERT INTO windlass_gate (name, max_running, running)
    SELECT NEW.name, NEW.max_running, (
        SELECT count(*) FROM windlass_job WHERE state = 'running' AND lease > '' AND NEW.name IN ('*', queue))
    WHERE NEW.max_running IS NOT NULL AND NOT EXISTS (SELECT 1 FROM windlass_gate WHERE name = NEW.name);
END;

CREATE TRIGGER windlass_limit_removed AFTER DELETE ON windlass_queue WHEN OLD.max_running IS NOT NULL
BEGIN
    DELETE FROM windlass_gate WHERE name = OLD.name;
END;
