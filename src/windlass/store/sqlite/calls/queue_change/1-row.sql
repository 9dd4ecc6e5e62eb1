-- A queue may be set up before its first job.
INSERT INTO windlass_queue (name) VALUES (:name) ON CONFLICT DO NOTHING
