-- A queue exists from its first job on.
INSERT INTO windlass_queue (name) SELECT value FROM jsonb_each(:queues) WHERE true ON CONFLICT DO NOTHING
