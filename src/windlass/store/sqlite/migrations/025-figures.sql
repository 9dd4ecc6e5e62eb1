-- Figures: what workers have gathered and no leader has merged yet, the buckets that it is merged into, and by which
-- number each worker has sent its last row, so that none is counted twice.

CREATE TABLE windlass_figure_row (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    data TEXT NOT NULL
) STRICT;

CREATE TABLE windlass_figure_source (
    worker TEXT PRIMARY KEY,
    -- about the time in milliseconds
    number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE windlass_figure (
    -- the length of the bucket in milliseconds, and when it begins
    step INTEGER NOT NULL,
    at INTEGER NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (step, at)
) STRICT;

-- At most one row: how often buckets were changed, and how many bytes they have.
CREATE TABLE windlass_figure_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    revision INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;
