-- Pauses a queue, or resumes it (:is_paused is 0). A second pause keeps the first one's time.
-- gives paused
UPDATE windlass_queue SET
    paused_at = iif(:is_paused, coalesce(paused_at, :now), NULL),
    paused_by = iif(:is_paused, :by, NULL),
    paused_reason = iif(:is_paused, :reason, NULL),
    changed_at = :now, changed_by = :by
WHERE name = :name RETURNING name
