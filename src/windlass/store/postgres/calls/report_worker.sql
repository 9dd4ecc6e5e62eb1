-- Shows what a worker does, between two heartbeats. One that was lost or forgotten meanwhile is shown by its heartbeat.
WITH
-- here clock
UPDATE windlass_worker AS worker SET state = :state, seen_at = clock.now, info = :info
FROM clock
WHERE worker.id = :worker AND worker.lease = :lease
