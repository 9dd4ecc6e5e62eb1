-- How many jobs of a task, or of a task with the same key, may be claimed in which time; those without a token are blocked
-- meanwhile. Processes that were started before this step claim without tokens: rates hold once all of them were started
-- anew.

ALTER TABLE windlass_job ADD COLUMN rate_key TEXT;

-- Tells that no job with a rate can be claimed, which is nearly always, and how many of a key were let go and are not
-- claimed yet (promised = 2).
CREATE INDEX windlass_job_rated ON windlass_job (rate_key, promised) WHERE rate_key IS NOT NULL AND state = 'pending';

-- What code declares.
CREATE TABLE windlass_rate_limit (
    task TEXT PRIMARY KEY,
    amount INTEGER NOT NULL,
    period INTEGER NOT NULL,
    burst INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The token buckets, named by task and key; one that is full has no row, or will soon have none. The level is in units, as
-- that of a limit. While jobs are blocked there, opens_at says when the next of them may go.
CREATE TABLE windlass_rate_gate (
    name TEXT PRIMARY KEY,
    amount INTEGER NOT NULL,
    period INTEGER NOT NULL,
    burst INTEGER NOT NULL,
    level INTEGER NOT NULL,
    filled_at INTEGER NOT NULL,
    full_at INTEGER NOT NULL,
    opens_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX windlass_rate_gate_opens ON windlass_rate_gate (opens_at) WHERE opens_at IS NOT NULL;
CREATE INDEX windlass_rate_gate_full ON windlass_rate_gate (full_at) WHERE opens_at IS NULL;
