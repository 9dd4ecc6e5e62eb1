-- 1. page
-- Waits that are to be looked at, but for those whose run has not ended yet.
-- binds page
SELECT json_group_array(place) FROM (
    SELECT step.rowid AS place FROM windlass_step AS step WHERE step.is_new = 1 AND NOT EXISTS (
        SELECT 1 FROM windlass_job AS job
        WHERE job.seq = step.seq AND job.state = 'running' AND job.fence = step.fence)
    LIMIT :limit)

-- 2. wake
-- Makes those jobs pending whose event has come.
-- gives woken
UPDATE windlass_job SET state = 'pending', run_at = :now, promoted_at = :now
WHERE state = 'scheduled' AND reason = 'event' AND seq IN (
    SELECT step.seq FROM json_each(:page) AS place JOIN windlass_step AS step ON step.rowid = place.value
    JOIN windlass_sent AS sent ON sent.name = step.event
    WHERE step.ended_at IS NULL AND sent.sent_at > step.began_at - 604800000)
RETURNING seq

-- 3. known
UPDATE windlass_step SET is_new = 0 WHERE rowid IN (SELECT value FROM json_each(:page))

-- 4. looked
-- gives looked
SELECT json_array_length(:page)
