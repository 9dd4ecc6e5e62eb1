-- Named limits with their token buckets, the callers that wait for a token, and cool-downs. No enqueue touches them.
-- Releases that know fewer steps go on, and do not see cool-downs.
-- compatible from 1

CREATE TABLE windlass_limit (
    name text COLLATE "C" PRIMARY KEY,
    amount bigint NOT NULL,
    period bigint NOT NULL,
    burst bigint NOT NULL,
    -- In units: a token has as many as its period has milliseconds, and a millisecond brings amount of them.
    level bigint NOT NULL,
    filled_at bigint NOT NULL,
    changed_at bigint,
    changed_by text
);

CREATE TABLE windlass_waiter (
    name text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    since bigint NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (name, id)
);

CREATE TABLE windlass_cooldown (
    scope text COLLATE "C" NOT NULL CHECK (scope IN ('queue', 'task', 'limit')),
    name text COLLATE "C" NOT NULL,
    began_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    -- The length of the last one that no task has chosen; the next is twice as long.
    step bigint,
    run text NOT NULL,
    job text NOT NULL,
    reason text,
    PRIMARY KEY (scope, name)
);

-- How long a queue cools down.
ALTER TABLE windlass_queue ADD COLUMN cooldown text;
