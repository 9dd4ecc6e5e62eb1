-- Writes down things that happened and belong to no job.
-- :notices rows (worker, detail) as noticed
INSERT INTO windlass_event (at, kind, worker, detail)
SELECT :now, :kind, {noticed.worker}, {noticed.detail} FROM jsonb_each(:notices) AS noticed
