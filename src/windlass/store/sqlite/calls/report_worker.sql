-- Shows what a worker does, between two heartbeats. One that was lost or forgotten meanwhile is shown by its heartbeat.
UPDATE windlass_worker SET state = :state, seen_at = :now, info = :info WHERE id = :worker AND lease = :lease
