-- 1. notice
-- Leaves a notice of each job whose row is gone. Nothing else of it was left to be met but a run that ended.
-- :lost rows (seq, queue, was) as lost
-- :by who met them
INSERT INTO windlass_event (at, kind, worker, detail)
SELECT :now, 'lost', :by, json_object('seq', {lost.seq}, 'queue', {lost.queue}, 'was', {lost.was})
FROM jsonb_each(:lost) AS lost

-- 2. event
-- What was told of them goes as well.
-- :lost rows (seq, queue, was)
DELETE FROM windlass_event WHERE seq IN (SELECT {lost.seq} FROM jsonb_each(:lost))

-- 3. noticed
-- :lost rows (seq, queue, was)
-- gives noticed
SELECT {lost.seq}, {lost.queue}, {lost.was} FROM jsonb_each(:lost)
