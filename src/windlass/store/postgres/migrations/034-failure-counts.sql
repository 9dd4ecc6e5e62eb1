-- Failures of tasks that trip, by cause and slice of time. Releases that know fewer steps go on, and count none.
-- compatible from 1

CREATE TABLE windlass_failure_count (
    task text COLLATE "C" NOT NULL,
    cause text COLLATE "C" NOT NULL,
    -- when the slice begins
    at bigint NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (task, cause, at)
);
CREATE INDEX failure_count_at ON windlass_failure_count (at);
