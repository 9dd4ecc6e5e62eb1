-- 1. row
-- A queue may be paused before its first job.
INSERT INTO windlass_queue (name) VALUES (:name) ON CONFLICT DO NOTHING

-- 2. pause
-- Pauses a queue, or resumes it (:is_paused is 0). A second pause keeps the first one's time.
-- gives paused
UPDATE windlass_queue SET
    paused_at = iif(:is_paused, coalesce(paused_at, :now), NULL),
    paused_by = iif(:is_paused, :by, NULL),
    paused_reason = iif(:is_paused, :reason, NULL),
    changed_at = :now, changed_by = :by
WHERE name = :name RETURNING name
