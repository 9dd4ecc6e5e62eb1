-- Records events of the store, which belong to no job.
-- :events rows (worker, detail) as noticed
INSERT INTO windlass_event (at, kind, worker, detail)
SELECT :now, :kind, {noticed.worker}, {noticed.detail} FROM jsonb_each(:events) AS noticed
