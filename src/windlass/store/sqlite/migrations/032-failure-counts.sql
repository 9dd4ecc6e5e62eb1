-- Failures of tasks that trip, by cause and slice of time.

CREATE TABLE windlass_failure_count (
    task TEXT NOT NULL,
    cause TEXT NOT NULL,
    -- when the slice begins
    at INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (task, cause, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX windlass_failure_count_at ON windlass_failure_count (at);
