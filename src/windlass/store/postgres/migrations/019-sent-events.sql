-- Events that jobs wait for, and which of the jobs that wait are to be looked at. An event is a row of its own, so that no
-- transaction of a caller waits for another; the newest of a name counts.
-- compatible from 1

CREATE TABLE windlass_sent (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    sent_at bigint NOT NULL,
    -- until the jobs that wait for it were told
    is_new boolean NOT NULL DEFAULT true,
    value text
);
CREATE INDEX sent_name ON windlass_sent (name, number);
CREATE INDEX sent_new ON windlass_sent (number) WHERE is_new;
CREATE INDEX sent_at ON windlass_sent (sent_at);

-- True for a wait whose event may have come, else null.
ALTER TABLE windlass_step ADD COLUMN is_new boolean;
CREATE INDEX step_waiting ON windlass_step (event) WHERE event IS NOT NULL AND ended_at IS NULL;
CREATE INDEX step_new ON windlass_step (seq) WHERE is_new;
