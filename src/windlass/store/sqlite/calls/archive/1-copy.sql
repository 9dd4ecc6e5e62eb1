-- Copies finished jobs into the archive, by the ISO week in which they finished (:weeks rows (seq, week)).
INSERT INTO windlass_archive (week, seq, id, job)
SELECT week.value ->> 1, seq, windlass_whole.id, json_object(
    'seq', seq, 'id', windlass_whole.id, 'task', task, 'queue', queue, 'state', state, 'reason', reason, 'priority', priority,
    'payload', whole_payload, 'meta', meta, 'attempt', attempt, 'max_attempts', max_attempts, 'crashes', crashes,
    'created_at', created_at, 'started_at', started_at, 'finished_at', finished_at, 'worker', worker, 'fence', fence,
    'result', result, 'errors', errors)
FROM jsonb_each(:weeks) AS week JOIN windlass_whole ON seq = week.value ->> 0
WHERE state IN ('completed', 'failed', 'cancelled')
ON CONFLICT DO NOTHING
