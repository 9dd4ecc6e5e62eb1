-- How many jobs of a queue, or of all queues together ('*'), may run at once. Releases that know fewer steps go on with it;
-- what they claim and end is not counted, so limits hold once all workers have this step.
-- compatible from 1

ALTER TABLE windlass_queue ADD COLUMN max_running integer;

-- How many jobs run, under its lock; only of queues that have a limit, and of '*'. Apart from the settings, because no
-- enqueue, which may be part of a caller's open transaction, touches these rows.
CREATE TABLE windlass_gate (
    name text COLLATE "C" PRIMARY KEY,
    max_running integer NOT NULL,
    running integer NOT NULL
) WITH (fillfactor = 20);

CREATE FUNCTION windlass_follow_limit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    limited text COLLATE "C" := CASE WHEN TG_OP = 'DELETE' THEN OLD.name ELSE NEW.name END;
    allowed integer := CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE NEW.max_running END;
BEGIN
    -- A statement that claims, ends or rescues has this table in use until its commit, and looks at the jobs only after it
    -- got it. So none is under way while they are counted, and the next ones know of the limit.
    LOCK TABLE windlass_gate IN SHARE ROW EXCLUSIVE MODE;
    IF allowed IS NULL THEN
        DELETE FROM windlass_gate AS gate WHERE gate.name = limited;
        RETURN NULL;
    END IF;
    UPDATE windlass_gate AS gate SET max_running = allowed WHERE gate.name = limited;
    IF NOT FOUND THEN
        INSERT INTO windlass_gate (name, max_running, running)
        SELECT limited, allowed, count(*) FROM windlass_running AS running WHERE limited IN ('*', running.queue);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER limit_declared AFTER INSERT ON windlass_queue
FOR EACH ROW WHEN (NEW.max_running IS NOT NULL) EXECUTE FUNCTION windlass_follow_limit();
CREATE TRIGGER limit_changed AFTER UPDATE OF max_running ON windlass_queue
FOR EACH ROW WHEN (NEW.max_running IS DISTINCT FROM OLD.max_running) EXECUTE FUNCTION windlass_follow_limit();
CREATE TRIGGER limit_removed AFTER DELETE ON windlass_queue
FOR EACH ROW WHEN (OLD.max_running IS NOT NULL) EXECUTE FUNCTION windlass_follow_limit();

-- Counts the running jobs of limited queues anew; the counters that were wrong.
CREATE FUNCTION windlass_recount() RETURNS TABLE (name text, counted integer, running integer) LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE windlass_gate IN SHARE ROW EXCLUSIVE MODE;
    RETURN QUERY UPDATE windlass_gate AS gate SET running = found.running
    FROM (
        SELECT wrong.name, wrong.running AS counted, CAST((
            SELECT count(*) FROM windlass_running AS held WHERE wrong.name IN ('*', held.queue)) AS integer) AS running
        FROM windlass_gate AS wrong
    ) AS found
    WHERE gate.name = found.name AND gate.running <> found.running
    RETURNING CAST(found.name AS text), found.counted, found.running;
END
$$;
