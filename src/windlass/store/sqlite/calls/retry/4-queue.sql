-- The other queue, where one was named, exists from now on.
INSERT INTO windlass_queue (name) SELECT :queue WHERE :queue IS NOT NULL ON CONFLICT DO NOTHING
