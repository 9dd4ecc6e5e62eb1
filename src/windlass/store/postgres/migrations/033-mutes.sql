-- Causes of failures that operators have muted. Releases that know fewer steps go on, and count these failures as others.
-- compatible from 1

CREATE TABLE windlass_mute (
    cause text COLLATE "C" PRIMARY KEY,
    muted_at bigint NOT NULL,
    muted_by text NOT NULL,
    reason text NOT NULL,
    -- null for a mute that lasts until the next deploy
    ends_at bigint
);
