-- 1. notice
-- Leaves a notice of each job whose row is gone. Nothing else of it was left to be met but a run that ended.
-- :vanished rows (VanishedJob) as vanished
-- :by who met them
INSERT INTO windlass_event (at, kind, worker, detail)
SELECT :now, 'lost', :by, json_object('seq', {vanished.seq}, 'queue', {vanished.queue}, 'was', {vanished.was})
FROM jsonb_each(:vanished) AS vanished

-- 2. event
-- Their events go as well.
-- :vanished rows (VanishedJob)
DELETE FROM windlass_event WHERE seq IN (SELECT {vanished.seq} FROM jsonb_each(:vanished))

-- 3. noticed
-- :vanished rows (VanishedJob)
-- gives noticed
SELECT {vanished.seq}, {vanished.queue}, {vanished.was} FROM jsonb_each(:vanished)
