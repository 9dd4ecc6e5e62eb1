-- Whether the job holder still holds the unique key key, as far as its state says. One that has ended holds a key for a
-- window only: its ending passed the key's row by where another transaction had it in hand. Whether a job that was
-- claimed has begun its run is known only later, so it counts as started until it is handed back: an enqueue that comes
-- after the start must not be taken for a duplicate.
    (key.until <> 'started' OR (holder.state <> 'running' AND holder.attempt = 0 AND holder.started_at IS NULL))
    AND (key.until = 'window' OR holder.state NOT IN ('completed', 'failed', 'cancelled'))
