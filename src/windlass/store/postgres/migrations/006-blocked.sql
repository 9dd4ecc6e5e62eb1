-- Blocked jobs wait at a gate: what they wait for has a name, and lets the first of them go when it is free. Releases that
-- know fewer steps go on: they make no job blocked; what they do to one by hand leaves its row here, which is ignored.
-- compatible from 1

-- Rows are inserted and deleted, never updated.
CREATE TABLE windlass_blocked (
    seq bigint PRIMARY KEY,
    -- as in ready, where it comes from and goes back to
    since bigint NOT NULL,
    priority integer NOT NULL,
    suspect boolean NOT NULL DEFAULT false,
    queue text COLLATE "C" NOT NULL,
    gate text COLLATE "C" NOT NULL
) WITH (vacuum_truncate = off);
CREATE UNIQUE INDEX blocked_next ON windlass_blocked (gate, priority DESC, since, seq);
CREATE INDEX blocked_queue ON windlass_blocked (queue);
