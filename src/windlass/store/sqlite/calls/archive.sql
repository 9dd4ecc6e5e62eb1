-- 1. copy
-- Copies finished jobs into the archive, by the ISO week in which they finished: everything that is known of a job, under
-- the names of JobRecord.
-- :weeks rows (seq, week) as week
INSERT INTO windlass_archive (week, seq, id, job)
SELECT {week.week}, seq, windlass_whole.id, json_object({JobRecord; keyed;
    id = windlass_whole.id;
    payload = whole_payload})
FROM jsonb_each(:weeks) AS week JOIN windlass_whole ON seq = {week.seq}
WHERE state IN ('completed', 'failed', 'cancelled')
ON CONFLICT DO NOTHING

-- 2. archived
-- :weeks rows (seq, week)
-- gives archived
SELECT seq FROM windlass_archive WHERE (week, seq) IN (SELECT {weeks.week}, {weeks.seq} FROM jsonb_each(:weeks))
