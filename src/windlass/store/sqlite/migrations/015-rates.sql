-- How many jobs of a queue may be claimed in which time: [amount, period in milliseconds, burst]. Processes that were started
-- before this step claim without tokens: rates hold once all of them were started anew.

ALTER TABLE windlass_queue ADD COLUMN rate TEXT;

-- The token buckets; only of queues that have a rate. The level is in units, as that of a limit.
CREATE TABLE windlass_rate (
    name TEXT PRIMARY KEY,
    amount INTEGER NOT NULL,
    period INTEGER NOT NULL,
    burst INTEGER NOT NULL,
    level INTEGER NOT NULL,
    filled_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER windlass_rate_declared AFTER INSERT ON windlass_queue WHEN NEW.rate IS NOT NULL
BEGIN
    INSERT INTO windlass_rate (name, amount, period, burst, level, filled_at)
    SELECT NEW.name, NEW.rate ->> 0, NEW.rate ->> 1, NEW.rate ->> 2, (NEW.rate ->> 2) * (NEW.rate ->> 1), 0;
END;

-- Whole tokens survive a change, as far as there is room for them.
CREATE TRIGGER windlass_rate_changed AFTER UPDATE OF rate ON windlass_queue WHEN NEW.rate IS NOT OLD.rate
BEGIN
    DELETE FROM windlass_rate WHERE name = NEW.name AND NEW.rate IS NULL;
    UPDATE windlass_rate SET
        amount = NEW.rate ->> 0, period = NEW.rate ->> 1, burst = NEW.rate ->> 2,
        level = min(NEW.rate ->> 2, level / period) * (NEW.rate ->> 1)
    WHERE name = NEW.name;
    INSERT INTO windlass_rate (name, amount, period, burst, level, filled_at)
    SELECT NEW.name, NEW.rate ->> 0, NEW.rate ->> 1, NEW.rate ->> 2, (NEW.rate ->> 2) * (NEW.rate ->> 1), 0
    WHERE NEW.rate IS NOT NULL AND NOT EXISTS (SELECT 1 FROM windlass_rate WHERE name = NEW.name);
END;

CREATE TRIGGER windlass_rate_removed AFTER DELETE ON windlass_queue WHEN OLD.rate IS NOT NULL
BEGIN
    DELETE FROM windlass_rate WHERE name = OLD.name;
END;
