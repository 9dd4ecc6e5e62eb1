-- 1. notice
-- Leaves a notice of each job whose row is gone. Nothing else of it was left to be met but a run that ended.
-- :lost rows (seq, queue, was)
-- :by who met them
INSERT INTO windlass_event (at, kind, worker, detail)
SELECT :now, 'lost', :by, json_object('seq', lost.value ->> 0, 'queue', lost.value ->> 1, 'was', lost.value ->> 2)
FROM jsonb_each(:lost) AS lost

-- 2. event
-- What was told of them goes as well.
DELETE FROM windlass_event WHERE seq IN (SELECT value ->> 0 FROM jsonb_each(:lost))

-- 3. noticed
-- gives noticed
SELECT value ->> 0, value ->> 1, value ->> 2 FROM jsonb_each(:lost)
