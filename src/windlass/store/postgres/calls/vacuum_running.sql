-- As vacuum_ready, for the running jobs: heartbeats and rescues need not step over deleted rows.
VACUUM (TRUNCATE off, SKIP_LOCKED on) windlass_running
