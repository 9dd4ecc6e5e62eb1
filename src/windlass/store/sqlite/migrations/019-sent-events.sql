-- Events that jobs wait for: the newest of each name, and which of the jobs that wait are to be looked at.

CREATE TABLE windlass_sent (
    name TEXT PRIMARY KEY,
    sent_at INTEGER NOT NULL,
    -- 1 until the jobs that wait for it were told
    is_new INTEGER NOT NULL,
    value TEXT
) STRICT;
CREATE INDEX windlass_sent_new ON windlass_sent (name) WHERE is_new = 1;
CREATE INDEX windlass_sent_at ON windlass_sent (sent_at);

-- 1 for a wait whose event may have come.
ALTER TABLE windlass_step ADD COLUMN is_new INTEGER NOT NULL DEFAULT 0;
CREATE INDEX windlass_step_waiting ON windlass_step (event) WHERE event IS NOT NULL AND ended_at IS NULL;
CREATE INDEX windlass_step_new ON windlass_step (is_new) WHERE is_new = 1;
