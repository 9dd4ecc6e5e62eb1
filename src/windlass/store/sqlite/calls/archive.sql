-- 1. copy
-- Copies finished jobs into the archive, by the ISO week in which they finished (:weeks rows (seq, week)): everything
-- that is known of a job, under the names of JobRecord.
INSERT INTO windlass_archive (week, seq, id, job)
SELECT week.value ->> 1, seq, windlass_whole.id, json_object(
    'seq', seq, 'id', windlass_whole.id, 'task', task, 'queue', queue, 'state', state, 'reason', reason, 'priority', priority,
    'payload', whole_payload, 'meta', meta, 'attempt', attempt, 'max_attempts', max_attempts, 'crashes', crashes,
    'rescues', rescues, 'run_at', run_at, 'created_at', created_at, 'promoted_at', promoted_at, 'claimed_at', claimed_at,
    'started_at', started_at, 'finished_at', finished_at, 'timeout', timeout, 'fence', fence, 'lease', lease,
    'worker', worker, 'cancel_requested_at', cancel_requested_at, 'unique_key', unique_key, 'progress', progress,
    'result', result, 'errors', errors, 'retry', retry, 'unknown_at', unknown_at)
FROM jsonb_each(:weeks) AS week JOIN windlass_whole ON seq = week.value ->> 0
WHERE state IN ('completed', 'failed', 'cancelled')
ON CONFLICT DO NOTHING

-- 2. archived
-- gives archived
SELECT seq FROM windlass_archive WHERE (week, seq) IN (SELECT value ->> 1, value ->> 0 FROM jsonb_each(:weeks))
