-- A queue may be paused before its first job.
INSERT INTO windlass_queue (name) VALUES (:name) ON CONFLICT DO NOTHING
