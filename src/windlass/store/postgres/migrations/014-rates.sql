-- How many jobs of a queue may be claimed in which time: [amount, period in milliseconds, burst]. Releases that know fewer
-- steps go on and claim without tokens: rates hold once all workers have this step.
-- compatible from 1

ALTER TABLE windlass_queue ADD COLUMN rate text COLLATE "C";

-- The token buckets; only of queues that have a rate. The level is in units, as that of a limit. No enqueue touches them.
CREATE TABLE windlass_rate (
    name text COLLATE "C" PRIMARY KEY,
    amount bigint NOT NULL,
    period bigint NOT NULL,
    burst bigint NOT NULL,
    level bigint NOT NULL,
    filled_at bigint NOT NULL
) WITH (fillfactor = 20);

-- Whole tokens survive a change, as far as there is room for them.
CREATE FUNCTION windlass_follow_rate() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    given jsonb := CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE CAST(NEW.rate AS jsonb) END;
BEGIN
    IF given IS NULL THEN
        DELETE FROM windlass_rate AS stored WHERE stored.name = OLD.name;
        RETURN NULL;
    END IF;
    INSERT INTO windlass_rate AS stored (name, amount, period, burst, level, filled_at)
    VALUES (
        NEW.name, CAST(given ->> 0 AS bigint), CAST(given ->> 1 AS bigint), CAST(given ->> 2 AS bigint),
        CAST(given ->> 2 AS bigint) * CAST(given ->> 1 AS bigint), 0)
    ON CONFLICT (name) DO UPDATE SET
        amount = excluded.amount, period = excluded.period, burst = excluded.burst,
        level = least(excluded.burst, stored.level / stored.period) * excluded.period;
    RETURN NULL;
END
$$;
CREATE TRIGGER rate_declared AFTER INSERT ON windlass_queue
FOR EACH ROW WHEN (NEW.rate IS NOT NULL) EXECUTE FUNCTION windlass_follow_rate();
CREATE TRIGGER rate_changed AFTER UPDATE OF rate ON windlass_queue
FOR EACH ROW WHEN (NEW.rate IS DISTINCT FROM OLD.rate) EXECUTE FUNCTION windlass_follow_rate();
CREATE TRIGGER rate_removed AFTER DELETE ON windlass_queue
FOR EACH ROW WHEN (OLD.rate IS NOT NULL) EXECUTE FUNCTION windlass_follow_rate();
