-- Vacuums the pending jobs, so that claims need not step over deleted rows; no call waits for it. Runs outside of every
-- transaction. The table keeps its length: cutting it off would hold all calls up, and it grows again at once.
VACUUM (TRUNCATE off, SKIP_LOCKED on) windlass_ready
