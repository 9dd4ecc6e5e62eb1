-- Causes of failures that operators have muted.

CREATE TABLE windlass_mute (
    cause TEXT PRIMARY KEY,
    muted_at INTEGER NOT NULL,
    muted_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    -- null for a mute that lasts until the next deploy
    ends_at INTEGER
) STRICT;
