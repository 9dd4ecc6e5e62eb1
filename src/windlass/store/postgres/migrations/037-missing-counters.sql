-- A limit on running jobs whose counter is missing, because somebody has deleted it, would not hold: it is counted anew.
-- compatible from 1

CREATE OR REPLACE FUNCTION windlass_recount() RETURNS TABLE (name text, counted integer, running integer) LANGUAGE plpgsql
AS $$
BEGIN
    LOCK TABLE windlass_gate IN SHARE ROW EXCLUSIVE MODE;
    RETURN QUERY INSERT INTO windlass_gate AS gate (name, max_running, running)
    SELECT queue.name, queue.max_running, CAST((
        SELECT count(*) FROM windlass_running AS held WHERE queue.name IN ('*', held.queue)) AS integer)
    FROM windlass_queue AS queue
    WHERE queue.max_running IS NOT NULL AND queue.name NOT IN (SELECT known.name FROM windlass_gate AS known)
    RETURNING CAST(gate.name AS text), CAST(NULL AS integer), gate.running;
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
