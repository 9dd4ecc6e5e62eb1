-- Notes that user code has begun under this fence; the attempt itself is charged by the ending or by rescue.
-- :marks rows (seq, fence, milliseconds ago)
-- only with marks
UPDATE windlass_job SET started_at = :now - (mark.value ->> 2) FROM jsonb_each(:marks) AS mark
WHERE seq = mark.value ->> 0 AND fence = mark.value ->> 1 AND state = 'running' AND started_at IS NULL
