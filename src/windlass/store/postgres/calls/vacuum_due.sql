-- As vacuum_ready, for the jobs that wait for their time: promotions need not step over deleted rows.
VACUUM (TRUNCATE off, SKIP_LOCKED on) windlass_due
