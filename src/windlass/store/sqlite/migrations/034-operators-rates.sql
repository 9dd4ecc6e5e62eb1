-- Rates of tasks that operators set. A process that was started before this step, and starts a worker later, sets the rate
-- that its code declares; a process of this step sets the operator's again when it starts.

CREATE TABLE windlass_task_rate (
    task TEXT PRIMARY KEY,
    -- [amount,period,burst] as code declares it; null: the code has no rate for it
    declared TEXT,
    -- as an operator says, which counts; [] is no rate; null: the code decides
    chosen TEXT,
    changed_at INTEGER,
    changed_by TEXT
) STRICT, WITHOUT ROWID;

INSERT INTO windlass_task_rate (task, declared)
SELECT task, '[' || amount || ',' || period || ',' || burst || ']' FROM windlass_rate_limit;
