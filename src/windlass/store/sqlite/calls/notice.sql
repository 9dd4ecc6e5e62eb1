-- Writes down things that happened and belong to no job.
-- :notices rows (worker, detail)
INSERT INTO windlass_event (at, kind, worker, detail)
SELECT :now, :kind, noticed.value ->> 0, noticed.value ->> 1 FROM jsonb_each(:notices) AS noticed
