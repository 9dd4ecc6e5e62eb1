-- Whether the job holder still holds the unique key key, as far as its state tells. One that has ended holds a key for a
-- window only: its ending passed the key's row by where another transaction had it in hand.
    (key.until <> 'started' OR holder.fence = 0)
    AND (key.until = 'window' OR holder.state NOT IN ('completed', 'failed', 'cancelled'))
