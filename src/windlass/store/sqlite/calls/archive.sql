-- 1. copy
-- Copies finished jobs into the archive, by the ISO week in which they finished: everything that is known of a job, under
-- the names of JobRecord, and its steps, if it has any, as a list under the names of StepRecord.
-- :weeks rows (seq, week) as week
INSERT INTO windlass_archive (week, seq, id, job)
SELECT {week.week}, seq, windlass_whole.id, json_patch(json_object({JobRecord; keyed;
        id = windlass_whole.id;
        payload = whole_payload}),
    -- Nothing is added where this is null.
    json_object('steps', json(nullif((
        SELECT json_group_array(json(recorded.text)) FROM (
            SELECT json_object({step.StepRecord; keyed}) AS text FROM windlass_step AS step
            WHERE step.seq = windlass_whole.seq ORDER BY step.number) AS recorded), '[]'))))
FROM jsonb_each(:weeks) AS week JOIN windlass_whole ON seq = {week.seq}
WHERE state IN ('completed', 'failed', 'cancelled')
ON CONFLICT DO NOTHING

-- 2. archived
-- :weeks rows (seq, week)
-- gives archived
SELECT seq FROM windlass_archive WHERE (week, seq) IN (SELECT {weeks.week}, {weeks.seq} FROM jsonb_each(:weeks))
