-- Makes room of what was deleted, so that claims need not step over it; no call waits for it. Runs by itself, outside of
-- every transaction. The table keeps its length: cutting it off would hold all calls up, and it grows again at once.
VACUUM (TRUNCATE off, SKIP_LOCKED on) windlass_running
