-- Keeps an event for the jobs that wait for it, and for those that will; the newest of a name counts. It locks nothing, so it
-- may be part of a caller's transaction.
WITH
-- here clock
INSERT INTO windlass_sent (name, sent_at, value)
SELECT CAST(:name AS text), clock.now, CAST(:value AS text) FROM clock
