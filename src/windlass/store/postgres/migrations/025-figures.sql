-- Figures: what workers have gathered and no leader has merged yet, the buckets that it is merged into, and by which
-- number each worker has sent its last row, so that none is counted twice. Releases that know fewer steps go on, without
-- figures.
-- compatible from 1

CREATE TABLE windlass_figure_row (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at bigint NOT NULL,
    data text NOT NULL
);

CREATE TABLE windlass_figure_source (
    worker text COLLATE "C" PRIMARY KEY,
    -- about the time in milliseconds
    number bigint NOT NULL
);

CREATE TABLE windlass_figure (
    -- the length of the bucket in milliseconds, and when it begins
    step bigint NOT NULL,
    at bigint NOT NULL,
    data text NOT NULL,
    PRIMARY KEY (step, at)
);

-- At most one row: how often buckets were changed, and how many bytes they have.
CREATE TABLE windlass_figure_state (
    id integer PRIMARY KEY CHECK (id = 1),
    revision bigint NOT NULL,
    bytes bigint NOT NULL
);
