-- A clean stop disappears at once; what somebody asked of it last is told to it now.
-- gives signal
DELETE FROM windlass_worker WHERE id = :worker RETURNING signal
