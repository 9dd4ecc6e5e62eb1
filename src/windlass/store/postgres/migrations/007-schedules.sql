-- Schedules, the ledger of their fires, and what each version of the code declares. Releases that know fewer steps go on
-- without them.
-- compatible from 1

CREATE TABLE windlass_schedule (
    name text COLLATE "C" PRIMARY KEY,
    task text COLLATE "C" NOT NULL,
    origin text COLLATE "C" NOT NULL CHECK (origin IN ('code', 'hand')),
    definition text COLLATE "C" NOT NULL,
    declared text COLLATE "C",
    -- Grows with every write; a writer names the one that it has seen.
    revision bigint NOT NULL,
    created_at bigint NOT NULL,
    changed_at bigint,
    changed_by text COLLATE "C",
    paused_at bigint,
    paused_by text COLLATE "C",
    paused_reason text COLLATE "C",
    orphaned_at bigint,
    planned_at bigint NOT NULL,
    next_at bigint,
    due_at bigint,
    last_job text COLLATE "C",
    held_at bigint,
    held_for text COLLATE "C" CHECK (held_for IN ('overlap', 'error')),
    fires bigint NOT NULL DEFAULT 0,
    zone_data text COLLATE "C"
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- A leader at rest asks for the smallest one.
CREATE INDEX schedule_due ON windlass_schedule (due_at, name) WHERE due_at IS NOT NULL;

CREATE TABLE windlass_fire (
    schedule text COLLATE "C" NOT NULL,
    planned_at bigint NOT NULL,
    at bigint NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    reason text COLLATE "C",
    job text COLLATE "C",
    last_at bigint,
    count integer NOT NULL DEFAULT 1,
    -- No slot is decided about twice.
    PRIMARY KEY (schedule, planned_at)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE windlass_code_version (
    version text COLLATE "C" PRIMARY KEY,
    first_seen bigint NOT NULL,
    seen_at bigint NOT NULL,
    declared text COLLATE "C" NOT NULL
);
