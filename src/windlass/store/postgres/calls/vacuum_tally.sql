-- As vacuum_ready, for the tally of finished jobs: a row is added with nearly every cycle.
VACUUM (TRUNCATE off, SKIP_LOCKED on) windlass_tally
