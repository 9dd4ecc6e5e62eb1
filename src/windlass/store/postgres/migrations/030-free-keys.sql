-- A key that no job waits for is given back by one statement behind its lock, which is nearly always the case: a drain of
-- a thousand keys spent a third of its time on asking for its limit and for jobs that wait.
CREATE OR REPLACE FUNCTION windlass_free_key(freed text, times integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    held integer;
    most integer;
    let_go integer;
BEGIN
    SELECT gate.running - times INTO held FROM windlass_key_gate AS gate WHERE gate.name = freed FOR UPDATE;
    held := greatest(coalesce(held, 0), 0);
    IF held = 0 THEN
        -- A statement of its own: it sees what was committed before the lock was free.
        DELETE FROM windlass_key_gate AS gate WHERE gate.name = freed
        AND NOT EXISTS (SELECT 1 FROM windlass_blocked AS waiting WHERE waiting.gate = freed);
        IF FOUND THEN
            RETURN 0;
        END IF;
    END IF;
    SELECT coalesce(max(coalesce(key.concurrency, key.declared)), 1) INTO most
    FROM windlass_key_limit AS key WHERE key.task = split_part(freed, E'\n', 1);
    let_go := windlass_let_go(freed, most - held, freed, NULL);
    held := held + let_go;
    IF held = 0 THEN
        DELETE FROM windlass_key_gate AS gate WHERE gate.name = freed;
    ELSE
        INSERT INTO windlass_key_gate AS gate (name, running, granted, most) VALUES (freed, held, 0, most)
        ON CONFLICT (name) DO UPDATE SET running = held;
    END IF;
    RETURN let_go;
END
$$;

CREATE OR REPLACE FUNCTION windlass_run_ended() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    let_go integer;
BEGIN
    let_go := windlass_free_key(OLD.gate, 1);  -- not PERFORM, which would be a query
    RETURN NULL;
END
$$;
