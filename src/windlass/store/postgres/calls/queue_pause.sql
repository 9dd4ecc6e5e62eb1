-- Pauses a queue, or resumes it (:is_paused is 0). A second pause keeps the first one's time. A queue may be paused
-- before its first job.
-- gives paused
WITH
-- here clock
, asked AS (
    SELECT now, CASE WHEN CAST(:is_paused AS integer) <> 0 THEN now END AS paused_at FROM clock
)
INSERT INTO windlass_queue AS queue (name, paused_at, paused_by, paused_reason, changed_at, changed_by)
SELECT CAST(:name AS text), paused_at, CASE WHEN paused_at IS NOT NULL THEN CAST(:by AS text) END,
    CASE WHEN paused_at IS NOT NULL THEN CAST(:reason AS text) END, now, CAST(:by AS text)
FROM asked
ON CONFLICT (name) DO UPDATE SET
    paused_at = CASE WHEN excluded.paused_at IS NOT NULL THEN coalesce(queue.paused_at, excluded.paused_at) END,
    paused_by = excluded.paused_by, paused_reason = excluded.paused_reason,
    changed_at = excluded.changed_at, changed_by = excluded.changed_by
RETURNING queue.name
