-- Counts anew how many jobs hold a concurrency key, under the lock of its gate, and lets go those that may hold it then. Releases
-- that know fewer steps go on.
-- compatible from 1
CREATE FUNCTION windlass_recount_key(wrong text) RETURNS TABLE (key text, counted integer, held integer)
LANGUAGE plpgsql AS $$
DECLARE
    said integer;
    found integer;
BEGIN
    INSERT INTO windlass_key_gate AS gate (name, running, granted, most) VALUES (wrong, 0, 0, 1)
    ON CONFLICT (name) DO UPDATE SET running = gate.running
    RETURNING gate.running INTO said;
    -- Behind the lock: what claims and endings have done is committed, and others wait.
    SELECT count(*) INTO found FROM (
        SELECT 1 FROM windlass_running AS running WHERE running.gate = wrong
        UNION ALL
        SELECT 1 FROM windlass_ready AS ready WHERE ready.gate = wrong) AS holder;
    UPDATE windlass_key_gate AS gate SET running = found WHERE gate.name = wrong AND gate.running <> found;
    -- Lets the next ones go, and deletes the row of a key that no job holds.
    PERFORM windlass_free_key(wrong, 0);
    IF said <> found THEN
        RETURN QUERY SELECT wrong, said, found;
    END IF;
END
$$;
